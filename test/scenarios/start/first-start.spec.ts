import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freshDatabaseUrl } from '../../harness/database.js';
import { testPort } from '../../harness/port.js';
import { interrupt, type Program, postmaster, run, scratchDirectory, startService } from './service.js';

/** The three commands in the output, each from its first to its last line. */
function commandsOf(screen: string): string[] {
  return screen.match(/^curl (.*\\\n)*.*$/gm) ?? [];
}

/** The settings of every production deployment, on a new database. */
async function productionSettings() {
  const PORT = String(await testPort());
  return {
    NODE_ENV: 'production',
    PORT,
    PUBLIC_URL: `http://localhost:${PORT}`,
    DATABASE_URL: await freshDatabaseUrl(),
    SECRETS_MASTER_KEYS: `a:${randomBytes(32).toString('base64')}`,
  };
}

function me({ url }: Program, headers: Record<string, string>): Promise<Response> {
  return fetch(`${url}/v2/me`, { headers });
}

it('prints and stores credentials that work, and commands that work when pasted', async () => {
  const directory = await scratchDirectory();
  const BOOTSTRAP_FILE = join(directory, 'bootstrap.json');
  const service = await startService({ DATA_DIR: join(directory, 'data'), BOOTSTRAP_FILE });
  const screen = service.output();
  expect(screen).toContain(`${service.url}/docs`);

  const kept = JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8'));
  expect((await stat(BOOTSTRAP_FILE)).mode & 0o777).toBe(0o600);
  expect(kept).toEqual({
    url: service.url,
    orgSlug: 'default',
    userId: expect.any(String),
    accessToken: expect.stringMatching(/^at:/),
    orgApiKey: expect.stringMatching(/^iak_default_/),
    signInUrl: expect.stringContaining(`${service.url}/v2/user/webSession?ticket=`),
  });
  for (const shown of ['accessToken', 'orgApiKey', 'signInUrl']) expect(screen).toContain(kept[shown]);

  const byToken = await me(service, { authorization: `Bearer ${kept.accessToken}` });
  expect(await byToken.json()).toMatchObject({ id: kept.userId, email: 'owner@localhost' });
  expect((await me(service, { 'x-platform-api-key': kept.orgApiKey })).status).toBe(200);
  const signedIn = await fetch(kept.signInUrl, { redirect: 'manual' });
  expect(signedIn.headers.get('location')).toBe(`${service.url}/console`);

  const commands = commandsOf(screen);
  expect(commands).toHaveLength(3);
  const pasted = await promisify(execFile)('bash', ['-c', commands.join('\n')]);
  const [created, inserted, found] = pasted.stdout.trim().split('\n') as [string, string, string];
  expect(JSON.parse(created)).toMatchObject({ name: 'books', schema_applied: true });
  expect(JSON.parse(inserted)).toMatchObject({ inserted_count: 2 });
  expect(JSON.parse(found).records).toEqual([
    expect.objectContaining({ title: 'Ulysses', year: 1922, city: 'Dublin' }),
  ]);
});

it('keeps data and credentials, prints none again, and signs in with or without the running service', async () => {
  const directory = await scratchDirectory();
  const BOOTSTRAP_FILE = join(directory, 'bootstrap.json');
  const settings = { DATA_DIR: join(directory, 'data'), PORT: String(await testPort()) };
  const first = await startService({ ...settings, BOOTSTRAP_FILE });
  const { accessToken, orgApiKey } = JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8'));
  interrupt(first);
  interrupt(first);
  expect((await first.ended).status).toBe(0);
  expect(await postmaster(settings.DATA_DIR)).toBeUndefined();

  const without = await run('cli.js', ['sign-in'], settings);
  const second = await startService(settings);
  expect(second.output()).not.toMatch(/at:|iak_|ticket=/);
  expect(second.output()).toContain('npm run cli -- sign-in');
  expect((await me(second, { authorization: `Bearer ${accessToken}` })).status).toBe(200);
  expect((await me(second, { 'x-platform-api-key': orgApiKey })).status).toBe(200);

  const beside = await run('cli.js', ['sign-in', '--email', 'Owner@Localhost'], settings);
  for (const { status, output } of [without, beside]) {
    expect(status).toBe(0);
    const answer = await fetch(output.trim(), { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(`${second.url}/console`);
    expect(answer.headers.get('set-cookie')).toContain('access-token=');
  }
});

it('stores its data below a relative DATA_DIR (the default is relative), where commands find it', async () => {
  const directory = await scratchDirectory();
  const settings = { DATA_DIR: relative(process.cwd(), directory) };
  const service = await startService(settings);
  expect(service.output()).not.toContain('instead');
  expect(await postmaster(directory)).toBeDefined();
  expect(await run('cli.js', ['keys', 'list'], settings)).toMatchObject({
    status: 0,
    output: expect.stringMatching(/ {2}RS256 {2}active /),
  });
});

it('prints no credentials in production if BOOTSTRAP_FILE contains them, and otherwise advises to replace them', async () => {
  const directory = await scratchDirectory();
  const named = { BOOTSTRAP_ORG: 'acme', BOOTSTRAP_ADMIN_EMAIL: 'admin@example.com', DATA_DIR: directory };
  const production = async () => ({ ...(await productionSettings()), ...named });
  const BOOTSTRAP_FILE = join(directory, 'first.json');
  const service = await startService({ ...(await production()), BOOTSTRAP_FILE });
  const kept = JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8'));
  expect((await stat(BOOTSTRAP_FILE)).mode & 0o777).toBe(0o600);
  expect((await me(service, { 'x-platform-api-key': kept.orgApiKey })).status).toBe(200);
  expect(service.output()).toContain(BOOTSTRAP_FILE);
  expect(service.output()).not.toMatch(/at:\w|iak_|ticket=/);

  const printing = await startService(await production());
  const [key] = printing.output().match(/iak_acme_[0-9a-f-]{36}/) as RegExpMatchArray;
  expect((await me(printing, { 'x-platform-api-key': key })).status).toBe(200);
  expect(printing.output()).toContain('then revoke these');
});

it('exits in production if no one could sign in, and starts after the command line has created an owner', async () => {
  const settings = await productionSettings();
  const refused = await run('main.js', [], settings);
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('npm run cli -- bootstrap --org <slug> --email <address>');
  expect(refused.output).toContain('BOOTSTRAP_ORG and BOOTSTRAP_ADMIN_EMAIL');

  const bootstrap = (...args: string[]) => run('cli.js', ['bootstrap', ...args], settings);
  const owner = ['--email', 'ada@example.com'];
  expect(await bootstrap('--org', 'Not A Slug', ...owner)).toMatchObject({
    status: 1,
    output: expect.stringContaining('slug: '),
  });
  expect(await bootstrap('--org', 'acme', '--email', 'ada')).toMatchObject({
    status: 1,
    output: expect.stringContaining('expects an e-mail address'),
  });
  const made = await bootstrap('--org', 'acme', ...owner);
  expect(made.status).toBe(0);
  const again = await bootstrap('--org', 'other', ...owner);
  expect([again.status, again.output]).toEqual([
    1,
    expect.stringContaining('There is an organization already: acme'),
  ]);
  expect(again.output).not.toMatch(/at:\w|iak_|ticket=/);

  const service = await startService(settings);
  const [key] = made.output.match(/iak_acme_[0-9a-f-]{36}/) as RegExpMatchArray;
  const [token] = made.output.match(/at:\S+/) as RegExpMatchArray;
  const [link] = made.output.match(/http:\S+ticket=\S+/) as RegExpMatchArray;
  expect((await me(service, { 'x-platform-api-key': key })).status).toBe(200);
  const byToken = await me(service, { authorization: `Bearer ${token}` });
  expect(await byToken.json()).toMatchObject({ email: 'ada@example.com', orgSlugs: ['acme'] });
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(302);
});

it('starts in production without an organization if people can sign in through an identity provider', async () => {
  const AUTH_PROVIDERS_FILE = join(await scratchDirectory(), 'providers.json');
  const config = {
    issuer: 'https://idp.example.com',
    client_id: 'collections',
    client_secret: 'x',
    scopes: 'openid',
  };
  await writeFile(AUTH_PROVIDERS_FILE, JSON.stringify([{ slug: 'idp', name: 'IdP', type: 'oidc', config }]));
  const service = await startService({ ...(await productionSettings()), AUTH_PROVIDERS_FILE });
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
});

it('writes credentials created by the command line to BOOTSTRAP_FILE, and prints none of them', async () => {
  const BOOTSTRAP_FILE = join(await scratchDirectory(), 'first.json');
  const settings = { ...(await productionSettings()), BOOTSTRAP_FILE };
  const made = await run('cli.js', ['bootstrap', '--org', 'acme', '--email', 'ada@example.com'], settings);
  expect([made.status, made.output]).toEqual([0, expect.stringContaining(BOOTSTRAP_FILE)]);
  expect(made.output).not.toMatch(/at:\w|iak_|ticket=/);
  expect((await stat(BOOTSTRAP_FILE)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8'))).toMatchObject({ orgSlug: 'acme' });
});

it('warns of unknown settings, and suggests the intended one', async () => {
  const service = await startService({
    DATABASE_URL: await freshDatabaseUrl(),
    DATABASE_POOLSIZE: 'hidden-value',
    SOMETHING_ELSE: '1',
  });
  expect(service.output()).toMatch(/"level":"warn".*DATABASE_POOLSIZE .*DATABASE_POOL_SIZE/);
  expect(service.output()).not.toMatch(/hidden-value|SOMETHING_ELSE/);
});
