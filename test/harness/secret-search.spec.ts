import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startApp } from './app.js';
import { searchForSecrets } from './secret-search.js';
import { finderOf, markOf, secretsSent, secretsShown, secretsTold } from './secrets-in-use.js';

/**
 * A separate cluster whose databases do not belong to the run, so that the secrets planted here do not fail the
 * run.
 */
async function scratchDatabase(): Promise<{ url: string; client: pg.Client }> {
  const { url } = inject('testServer');
  const name = `tc_planted_${randomUUID().slice(0, 8)}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`CREATE DATABASE ${name}`);
  const scratch = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const client = new pg.Client({ connectionString: scratch });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.end();
  });
  return { url: scratch, client };
}

async function scratchNotes(secret: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-planted-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'secrets-1'), `${markOf(secret)} answer to POST /keys\n`);
  return directory;
}

describe('the search for secrets after a run', () => {
  const key = `iak_acme_${randomUUID()}`;

  it('finds a secret in a log, in an error body and in any column, and does not repeat it in its report', async () => {
    const directory = await scratchNotes(key);
    const { url, client } = await scratchDatabase();
    expect(await searchForSecrets(directory, [url])).toEqual({ secrets: 1, findings: [] });
    await writeFile(join(directory, 'log-17'), `{"msg":"calling with ${key}"}\n`);
    await writeFile(
      join(directory, 'errors-17'),
      `{"error":"Conflict","message":"${key.slice(4)} is taken"}\n`,
    );
    await client.query(
      'CREATE SCHEMA o; CREATE TABLE o.events (id int, changes jsonb); CREATE TABLE raw (bytes bytea)',
    );
    await client.query('INSERT INTO o.events VALUES (1, $1)', [{ after: { apiKey: key } }]);
    await client.query('INSERT INTO raw VALUES ($1)', [Buffer.from(`binary ${key} text`)]);
    const origin = '(answer to POST /keys)';
    const { findings } = await searchForSecrets(directory, [url]);
    expect(findings).toEqual([
      `errors holds a secret ${origin}`,
      `log holds a secret ${origin}`,
      `o.events holds a secret ${origin}`,
      `public.raw holds a secret ${origin}`,
    ]);
    expect(findings.join()).not.toContain(markOf(key));
  });

  it('knows the secrets that the service of this run issues and accepts, and the location of its log', async () => {
    const app = await startApp();
    const { body } = await app.request('POST', '/v2/login/anonymous', { body: {} });
    await app.request('GET', '/v2/me', { token: app.bootstrap.accessToken });
    const { notes } = inject('testServer');
    await app.request('GET', '/v2/me', { token: 'at:guessed-by-nobody-at-all-0123456789ABCDEF' });
    const own = async (kind: string) => {
      const files = (await readdir(notes)).filter(name => name === `${kind}-${process.pid}`);
      return (await Promise.all(files.map(name => readFile(join(notes, name), 'utf8')))).join();
    };
    await expect
      .poll(() => own('secrets'))
      .toContain(`${markOf(body.token)} answer to POST /v2/login/anonymous`);
    // A secret is noted once: other files of this worker may have sent this one before.
    expect(await own('secrets')).toContain(`${markOf(app.bootstrap.accessToken)} credential of `);
    expect(await own('secrets')).not.toContain('0123456789ABCDEF');
    await expect.poll(() => own('log')).toContain('"path":"/v2/login/anonymous"');
    await expect.poll(() => own('errors')).toContain('"error":"Unauthorized"');
  });
});

describe('a secret', () => {
  it.each([
    ['a field of an answer', () => secretsShown('{"results":[{"apiKey":"abc"}],"url":"x"}'), ['abc']],
    ['a cookie', () => secretsShown('', 'access-token=abc; Path=/; HttpOnly'), ['abc']],
    ['a link', () => secretsShown(`{"url":"/x?ticket=${'Ab1'.repeat(14)}&a=b"}`), ['Ab1'.repeat(14)]],
    ['an address', () => secretsShown('', '', `/cb?code=${'Ab1'.repeat(14)}`), ['Ab1'.repeat(14)]],
    ['a bearer', () => secretsSent({ authorization: 'Bearer abc' }), ['abc']],
    [
      'a key and a cookie',
      () => secretsSent({ 'x-platform-api-key': 'k', cookie: 'a=b; access-token=abc' }),
      ['k', 'abc'],
    ],
    ['nothing', () => [...secretsSent({}), ...secretsShown('no JSON'), ...secretsShown('{"token":1}')], []],
  ])('is recorded as %s', (_, noticed, expected) => {
    expect(noticed()).toEqual(expected);
  });

  it('is recorded from the body of a request at any depth', () => {
    expect(secretsTold({ config: { client_secret: 'abc' }, subject_token: 'def', name: 'x' })).toEqual([
      'abc',
      'def',
    ]);
    expect(secretsTold(undefined)).toEqual([]);
  });

  it('is recognised by its end, whatever text surrounds it', () => {
    const secret = 'at:Zx8sPq2LmN4vKc6TyR1wUb9HdJ7gFe3AaBcDeFgHiJk';
    const mark = markOf(secret) as string;
    const marksIn = finderOf(new Set([mark]));
    for (const text of [
      secret,
      `x${secret.slice(3)}y`,
      `%22${secret.slice(3)}%22`,
      `"wak_${secret.slice(3)}_"`,
    ]) {
      expect(marksIn(text)).toEqual(new Set([mark]));
    }
    for (let before = 0; before < 32; before++) {
      expect(marksIn(`${'b'.repeat(before)}${mark} and ${mark}`)).toEqual(new Set([mark]));
    }
    expect(marksIn(secret.slice(0, -1))).toEqual(new Set());
    const base64 = 'whsec_Zx8sPq2LmN4v+c6TyR1wUb9HdJ7g/e3AaBcDeFgHiJk=';
    expect(finderOf(new Set([markOf(base64) as string]))(`{"secret":"${base64}"}`).size).toBe(1);
    expect(marksIn(`${'a'.repeat(8_000_000)}${secret}`).size).toBe(1);
    expect(markOf('short')).toBeUndefined();
    expect(markOf('iak_acme_00000000-0000-4000-8000-000000000000')).toBeUndefined();
  });
});
