import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { newService, type Service } from './service.js';
import { rowsOf, tcol } from './tcol.js';
import { build, CTRL_C, ENTER, Terminal } from './terminal.js';

let service: Service;
const run = (...args: string[]) => tcol(args, { env: service.env });
const terminal = (args: string[], env: Record<string, string> = {}, columns?: number) =>
  new Terminal(args, { ...service.env, ...env }, columns);
const count = async () => Number((await run('count', 'books')).stdout);

beforeAll(async () => {
  build();
  service = await newService();
  await run('collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer');
});
beforeEach(async () => {
  await run('insert', 'books', '[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922}]');
});

describe('a person at a terminal', () => {
  it('sees a table as wide as the terminal, and how many records there are', async () => {
    await run('insert', 'books', JSON.stringify({ title: 'x'.repeat(500), year: 1 }));
    const screen = terminal(['query', 'books', '--sort', 'year'], {}, 110);
    expect(await screen.exitCode()).toBe(0);
    const lines = screen.shown.split('\n').filter(line => line.trim() !== '');
    expect(lines[0]).toMatch(/^_id\s+title\s+year\s+created_at\s+updated_at/);
    expect(Math.max(...lines.map(line => line.trimEnd().length))).toBeLessThanOrEqual(110);
    expect(screen.shown).toContain('Emma');
    expect(screen.shown).toMatch(/\d+ records/);
  });

  it('sees colors, unless NO_COLOR is set', async () => {
    const colored = terminal(['query', 'books']);
    await colored.exitCode();
    expect(colored.colored).toContain('\u001b[1m');
    const plain = terminal(['query', 'books'], { NO_COLOR: '1' });
    await plain.exitCode();
    expect(plain.colored).not.toContain('\u001b[');
  });

  it('is asked before a write, and nothing changes without a yes', async () => {
    const asked = terminal(['update', 'books', '{"title":"Emma"}', '{"year":1816}']);
    await asked.until(/Change \d+ records? of books\?/);
    asked.type('n');
    expect(await asked.exitCode()).toBe(1);
    expect(asked.shown).toContain('Nothing was changed.');
    expect((await run('count', 'books', '{"year":1816}')).stdout).toBe('0\n');
  });

  it('changes what was shown with a yes', async () => {
    const asked = terminal(['update', 'books', '{"title":"Emma"}', '{"year":1817}']);
    await asked.until(/Change \d+ records? of books\?/);
    asked.type('y');
    expect(await asked.exitCode()).toBe(0);
    expect(asked.shown).toMatch(/\d+ records? changed/);
    expect(Number((await run('count', 'books', '{"year":1817}')).stdout)).toBeGreaterThan(0);
  });

  it('changes nothing by pressing only Enter', async () => {
    const asked = terminal(['update', 'books', '{"title":"Emma"}', '{"year":1818}']);
    await asked.until(/Change \d+ records? of books\?/);
    asked.type(ENTER);
    expect(await asked.exitCode()).toBe(1);
    expect((await run('count', 'books', '{"year":1818}')).stdout).toBe('0\n');
  });

  it('sees the name of a production profile in red in every question', async () => {
    const directory = emptyDirectory();
    const credential = { type: 'token', token: service.env.TC_TOKEN };
    const profile = { url: service.env.TC_URL, credential };
    const profiles = { live: { ...profile, production: true }, test: { ...profile, production: false } };
    writeFileSync(join(directory, 'profiles.json'), JSON.stringify({ current: 'live', profiles }));
    const ask = async (name: string) => {
      const args = ['collections', 'delete', 'books', '--profile', name];
      const screen = new Terminal(args, { TC_CONFIG_DIR: directory });
      await screen.until(/Delete books/);
      screen.type('n');
      await screen.exitCode();
      return screen;
    };
    const live = await ask('live');
    expect(live.shown).toContain('live (production): Delete books');
    expect(live.colored).toContain('\u001b[31mlive (production)');
    const test = await ask('test');
    expect(test.shown).toContain('test: Delete books');
    expect(test.colored).not.toContain('\u001b[31mtest');
  });

  it('changes nothing with Ctrl-C at a question', async () => {
    const asked = terminal(['update', 'books', '{"title":"Emma"}', '{"year":1819}']);
    await asked.until(/Change \d+ records? of books\?/);
    asked.type(CTRL_C);
    expect(await asked.exitCode()).toBe(130);
    expect((await run('count', 'books', '{"year":1819}')).stdout).toBe('0\n');
  });

  it('is asked whether headers that look like columns are these columns', async () => {
    const path = join(emptyDirectory(), 'books.csv');
    writeFileSync(path, 'Title,Year\nSanditon,1817\n');
    const screen = terminal(['import', 'books', path]);
    await screen.until(/Import them into these columns\?/);
    screen.type('y');
    expect(await screen.exitCode()).toBe(0);
    expect(screen.shown).toContain('1 record inserted');
    expect(rowsOf(await run('query', 'books', '{"title":"Sanditon"}'))).toHaveLength(1);
  });
});

describe('an import at a terminal', () => {
  const path = join(emptyDirectory(), 'many.csv');
  let link: ChildProcess;
  let url: string;
  beforeAll(async () => {
    await run('collections', 'change', 'books', '--max-records', '1000000');
    const rows = Array.from(
      { length: 200_000 },
      (_, n) => `Book number ${n} of a long list of books,${n % 2000}`,
    );
    writeFileSync(path, `title,year\n${rows.join('\n')}\n`);
    const { port } = new URL(service.env.TC_URL as string);
    link = spawn(process.execPath, ['packages/cli/test/slow-link.mjs', port], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [own] = await once(link.stdout as Readable, 'data');
    url = `http://127.0.0.1:${String(own).trim()}`;
  });
  afterAll(() => void link.kill());

  it('shows no bar with --quiet', async () => {
    const few = join(emptyDirectory(), 'few.csv');
    writeFileSync(few, 'title,year\nEmma,1815\n');
    const screen = terminal(['import', 'books', few, '--dry-run', '--quiet']);
    expect(await screen.exitCode()).toBe(0);
    expect(screen.shown).not.toMatch(/█|░/);
  });

  it('shows a bar with bytes and rows, and imports nothing when Ctrl-C ends it', async () => {
    const before = await count();
    const screen = terminal(['import', 'books', path], { TC_URL: url });
    await screen.until(/█+░+ +\d+ % [\d.]+ MB of [\d.]+ MB, [\d,]+ rows read/);
    screen.type(CTRL_C);
    expect(await screen.exitCode()).toBe(130);
    expect(screen.shown).toContain('Interrupted: the import was not finished.');
    expect(screen.shown).not.toMatch(/inserted|imported/);
    expect(await count()).toBe(before);
  });
});

describe('a reader that ends early', () => {
  it('is not an error', async () => {
    await run(
      'insert',
      'books',
      JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ title: 'x'.repeat(200), year: n }))),
    );
    const command = `'${process.execPath}' packages/cli/bin/tcol.js query books --all | head -n 1`;
    const args = ['--norc', '--noprofile', '-c', `set -o pipefail; ${command}`];
    const env = { ...service.env, PATH: process.env.PATH };
    const { stdout, stderr } = await promisify(execFile)('bash', args, { env });
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  });
});
