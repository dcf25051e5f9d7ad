import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { newService, type Service } from './service.js';
import { rowsOf, tcol } from './tcol.js';

let service: Service;
const run = (...args: string[]) => tcol(args, { env: service.env });

beforeAll(async () => {
  service = await newService();
  await run('collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer');
  await run('collections', 'create', 'loans', '--column', 'due:date');
});

describe('tcol types', () => {
  const out = join(emptyDirectory(), 'collections.ts');

  it('writes the columns of all collections', async () => {
    const { code, stdout } = await run('types');
    expect(code).toBe(0);
    expect(stdout).toContain("title: { type: 'text'; nullable: false };");
    expect(stdout).toContain('loans: {');
    expect(stdout).not.toContain('ids');
  });

  it('writes only the collections that are named, flexible fields, and ids', async () => {
    const { stdout } = await run('types', '--collections', 'books', '--flexible', 'books.city:text', '--ids');
    expect(stdout).toContain("city: { type: 'text'; nullable: true };");
    expect(stdout).not.toContain('loans');
    const [{ collection_id }] = rowsOf(await run('collections', 'show', 'books'));
    expect(stdout).toContain(`books: '${collection_id}',`);
  });

  it('tells with --check whether the file is up to date, and does not write it', async () => {
    const missing = await run('types', '--out', out, '--check');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('is missing') });
    expect((await run('types', '--out', out)).code).toBe(0);
    expect((await run('types', '--out', out, '--check')).code).toBe(0);
    writeFileSync(out, 'old');
    const old = await run('types', '--out', out, '--check');
    expect(old).toMatchObject({ code: 1, stderr: expect.stringContaining('is out of date') });
    expect(old.stderr).toContain(`Run: tcol types --out ${out}`);
    expect(readFileSync(out, 'utf8')).toBe('old');
  });

  it.each([
    [['--check'], '--check goes with --out'],
    [['--collections', 'books,films'], 'There is no collection "films".'],
    [['--flexible', 'city'], 'is not collection.field:type'],
    [['--flexible', 'films.city:text'], 'there is no collection named'],
  ])('%j is a misuse', async (args, message) => {
    expect(await run('types', ...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('tcol api', () => {
  it('sends any request, with a body from the argument, a file or stdin', async () => {
    expect(rowsOf(await run('api', 'GET', '/v1/collections?limit=1'))[0].items).toHaveLength(1);
    const made = await run('api', 'POST', '/v1/collections', '{"name":"films"}');
    expect(rowsOf(made)).toMatchObject([{ name: 'films' }]);
    const body = { env: service.env, input: '{"description":"From stdin"}' };
    expect(rowsOf(await tcol(['api', 'PATCH', '/v1/collections/films', '-'], body))).toMatchObject([
      { description: 'From stdin' },
    ]);
    expect(rowsOf(await run('api', 'DELETE', '/v1/collections/films'))).toMatchObject([{ deleted: true }]);
  });

  it.each([
    [['GET', 'v2/me'], 'is not a path'],
    [['GET', 'https://elsewhere.example/v2/me'], 'is not a path'],
    [['GET', '//elsewhere.example/v2/me'], 'is not a path'],
    [['FETCH', '/v2/me'], 'Allowed choices are GET'],
    [['POST', '/v1/collections', '{'], 'The body is not JSON'],
  ])('%j is a misuse', async (args, message) => {
    expect(await run('api', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('tcol mcp', () => {
  it('prints a configuration without a secret', async () => {
    const { stdout, stderr } = await run('mcp');
    expect(JSON.parse(stdout)).toEqual({
      mcpServers: { 'typed-collections': { type: 'http', url: `${service.env.TC_URL}/v1/mcp` } },
    });
    expect(stdout + stderr).not.toContain(service.env.TC_TOKEN);
  });

  it('names one collection by its id, in the form of the client', async () => {
    const [{ collection_id }] = rowsOf(await run('collections', 'show', 'books'));
    const { servers } = JSON.parse((await run('mcp', 'books', '--client', 'vscode')).stdout);
    expect(servers['typed-collections'].url).toBe(
      `${service.env.TC_URL}/v1/collections/${collection_id}/mcp`,
    );
  });
});

describe('tcol completion', () => {
  it.each([
    [['tcol', 'coll'], ['collections']],
    [
      ['tcol', 'collections', ''],
      ['list', 'show', 'create', 'change', 'delete', 'restore'],
    ],
    [['tcol', 'collections', 'create', 'books', '--fr'], ['--from']],
    [['tcol', '--quiet', 'keys', 'ro'], ['rotate']],
    [['tcol', 'query', 'books', '--so'], ['--sort']],
    [
      ['tcol', 'query', '--out'],
      ['--output', '--out'],
    ],
    [
      ['tcol', 'query', 'books', '--output', ''],
      ['table', 'json', 'ndjson', 'csv'],
    ],
    [['tcol', 'completion', 'z'], ['zsh']],
  ])('bash completes %j', async (words, expected) => {
    const { stdout: script } = await run('completion', 'bash');
    const line = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _tcol; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const proposed = execFileSync('bash', ['--norc', '--noprofile', '-c', `${script}\n${line}`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(proposed.trim().split('\n')).toEqual(expect.arrayContaining(expected));
    if (words.at(-1) !== '') expect(proposed.trim().split('\n').sort()).toEqual([...expected].sort());
  });

  it('zsh uses the completion of bash, and fish has its own', async () => {
    expect((await run('completion', 'zsh')).stdout).toMatch(/bashcompinit[\s\S]*complete .*tcol/);
    const fish = (await run('completion', 'fish')).stdout;
    expect(fish).toContain("-n '__fish_use_subcommand' -a '");
    expect(fish).toContain('collections');
  });

  it('needs no service and no sign-in', async () => {
    expect((await tcol(['completion', 'bash'], { env: {} })).code).toBe(0);
  });
});
