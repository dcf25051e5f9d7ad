import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUrl } from '../../harness/database.js';
import { run, scratchDirectory } from './service.js';

/** As a pooler that does not know prepared statements: their names are lost, and process ids are its own. */
async function poolerBefore(url: string): Promise<string> {
  const target = new URL(url);
  const pooler = createServer(client => {
    const server = connect(Number(target.port), target.hostname);
    client.on('data', bytes => {
      const text = bytes.toString('latin1');
      server.write(text.includes('SELECT 1') ? bytes : text.replaceAll('check_', 'other_'), 'latin1');
    });
    server.on('data', bytes => {
      // BackendKeyData: its type, its length of 12 bytes, the process id.
      const at = bytes.indexOf('K\0\0\0\x0c', 'latin1');
      if (at >= 0) bytes.writeInt32BE(7, at + 5);
      client.write(bytes);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const)
      from.on('error', () => undefined).on('close', () => to.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void pooler.close());
  await once(pooler, 'listening');
  const { port } = pooler.address() as AddressInfo;
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
}

async function refusal(settings: Record<string, string>): Promise<string> {
  const DATA_DIR = join(await scratchDirectory(), 'data');
  const { status, output } = await run('main.js', [], { DATA_DIR, PORT: '0', ...settings });
  expect(status).toBe(1);
  expect(output).not.toMatch(/\n\s+at /);
  // The start is refused before anything is created.
  expect(existsSync(DATA_DIR)).toBe(false);
  return output;
}

describe('a start that is refused', () => {
  it('names every invalid setting at once, with the reason', async () => {
    const output = await refusal({
      PORT: 'x',
      LOG_LEVEL: 'loud',
      JWKS_SIZE: '512',
      DATABASE_URL: 'mysql://db',
    });
    expect(output).toMatch(/PORT expects a whole number from 0 to 65535/);
    expect(output).toMatch(/LOG_LEVEL expects one of/);
    expect(output).toMatch(/JWKS_SIZE expects a whole number from 2048/);
    expect(output).toMatch(/DATABASE_URL expects a URL beginning with postgres/);
  });

  it('names every missing setting in production', async () => {
    const output = await refusal({ NODE_ENV: 'production', HOST: '0.0.0.0' });
    expect(output).toContain('SECRETS_MASTER_KEYS is required');
    expect(output).toContain('DATABASE_URL is required');
    expect(output).toContain('PUBLIC_URL is required in production');
  });

  it('names a PORT that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ PORT: String(port) })).toContain(`PORT ${port} is taken`);
  });

  it('names an invalid HOST', async () => {
    expect(await refusal({ HOST: '192.0.2.1' })).toContain('HOST 192.0.2.1');
  });

  it('names the setting of a pooler that loses prepared statements', async () => {
    const url = await freshDatabaseUrl();
    const DATABASE_URL = await poolerBefore(url);
    const DATA_DIR = await scratchDirectory();
    const settings = { DATA_DIR, PORT: '0', DATABASE_URL, DATABASE_LISTEN_URL: url };
    const { status, output } = await run('main.js', [], settings);
    expect(status).toBe(1);
    expect(output).toContain('max_prepared_statements');
    expect(output).not.toMatch(/\n\s+at /);
  });

  it('names the version that the database needs, as a line of JSON', async () => {
    const DATABASE_URL = await freshDatabaseUrl();
    const database = new pg.Client({ connectionString: DATABASE_URL });
    await database.connect();
    await database.query(`UPDATE service_versions SET lowest = '9.0.0'`);
    await database.end();
    const output = await refusal({ DATABASE_URL, MIGRATE_ON_START: 'false' });
    const lines = output
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', msg: expect.stringContaining('needs version 9.0.0') }),
    );
  });

  it('names DATABASE_URL, without its password, if the server does not respond or refuses', async () => {
    const absent = await refusal({ DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/db' });
    expect(absent).toContain('Check DATABASE_URL');
    expect(absent).not.toContain('hidden');
    const wrong = new URL(await freshDatabaseUrl());
    wrong.pathname = '/no_such_database';
    expect(await refusal({ DATABASE_URL: wrong.href })).toMatch(/no_such_database.*Check DATABASE_URL/s);
  });
});

it('creates no credentials if it cannot write BOOTSTRAP_FILE', async () => {
  const directory = await scratchDirectory();
  const DATABASE_URL = await freshDatabaseUrl();
  const settings = { DATABASE_URL, DATA_DIR: join(directory, 'data'), PORT: '0' };
  await mkdir(join(directory, 'taken'));
  const refused = await run('main.js', [], {
    ...settings,
    BOOTSTRAP_FILE: join(directory, 'absent', 'file'),
  });
  expect(refused).toMatchObject({ status: 1, output: expect.stringContaining('BOOTSTRAP_FILE') });
  expect(refused.output).not.toMatch(/iak_|at:\S/);
  expect((await run('cli.js', ['sign-in'], settings)).output).toContain('There is no organization yet');
});

describe('the command line', () => {
  it('prints its usage after an invalid call, with status 2', async () => {
    const calls: [string[], number, string][] = [
      [[], 2, 'npm run cli -- keys list | rotate | remove <kid>\n      the keys that sign JWTs'],
      [['help'], 0, 'npm run cli -- keys create '],
      [['help'], 0, 'npm run cli -- bootstrap --org <slug> --email <address>'],
      [['help'], 0, 'Usage:'],
      [['nope'], 2, 'nope is not a command'],
      [['keys'], 2, 'expects list, rotate or remove <kid>'],
      [['keys', 'create'], 2, 'expects --name'],
      [['keys', 'create', '--name', 'x'], 2, 'expects --permissions'],
      [
        ['keys', 'create', '--name', 'x', '--permissions', '*', '--expires', 'soon'],
        2,
        'expects --expires like',
      ],
      [['keys', 'create', '--name', 'x', '--permissions', 'all of it'], 1, 'permissions: '],
      [['bootstrap', '--org', 'acme'], 2, 'expects --org and --email'],
      [['sign-in', '--mail', 'x'], 2, "Unknown option '--mail'"],
    ];
    const endings = await Promise.all(calls.map(([args]) => run('cli.js', args, {})));
    expect(endings).toEqual(
      calls.map(([, status, text]) => ({ status, output: expect.stringContaining(text) })),
    );
    for (const { output } of endings) expect(output).not.toMatch(/\n\s+at /);
  });

  it('is called typed-collections in its help when the command of the image starts it', async () => {
    const command = (await readFile('deploy/image/typed-collections', 'utf8')).replace('/app', process.cwd());
    const output = await text(spawn('sh', ['-c', command, 'typed-collections', 'help']).stdout);
    expect(output).toContain('\n  typed-collections sign-in ');
    expect(output).not.toContain('npm run cli');
  });

  it('goes on without a message when nobody reads its output', async () => {
    const child = spawn('sh', [
      '-c',
      `{ ${process.execPath} dist/service/cli.js help; echo "status $?" >&2; } | :`,
    ]);
    let output = '';
    child.stderr.on('data', chunk => (output += chunk));
    await once(child, 'close');
    expect(output).toBe('status 0\n');
  });

  it('uses DATABASE_URL, and does not touch the embedded server', async () => {
    const DATA_DIR = await scratchDirectory();
    const settings = { DATA_DIR, DATABASE_URL: await freshDatabaseUrl() };
    expect((await run('cli.js', ['migrate'], settings)).output).toBe('no migration to apply\n');
    const down = (...args: string[]) => run('cli.js', ['migrate:down', ...args], settings);
    const refused = await down('--to', '1.0.0');
    expect(refused.status).toBe(1);
    expect(refused.output).toContain(
      'takes back CreateCollectionViews1795000028600, and loses saved views of collections\n',
    );
    expect(refused.output).toMatch(/\ntakes back CountRecordsByQuota1795000023000\nNothing was taken back/);
    const database = new pg.Client({ connectionString: settings.DATABASE_URL });
    await database.connect();
    const later = 'OfALaterVersion1799000000000';
    await database.query('INSERT INTO migrations (timestamp, name) VALUES (1799000000000, $1)', [later]);
    const unknown = `This version does not know the migration ${later}. Use the version that applied it.\n`;
    expect(await down('--to', '1.0.0')).toEqual({ status: 1, output: unknown });
    await database.query('DELETE FROM migrations WHERE name = $1', [later]);
    await database.end();
    const taken = await down('--yes', '--to', '1795000031000');
    expect(taken.output).toContain('\nundid NumberRecordVersions1795000031100\n');
    const { output: status } = await run('cli.js', ['migrate:status'], settings);
    expect(status).toMatch(/^applied {2}TypeRecordVersions1795000031000\npending {2}\w+\n/m);
    expect(await run('cli.js', ['keys', 'list'], settings)).toEqual({
      status: 1,
      output: 'The database is not migrated: run npm run migrate, or npm start.\n',
    });
    expect((await run('cli.js', ['migrate'], settings)).output).toMatch(
      /^(migration \w+ begins\n)+(applied \w+\n)+$/,
    );

    const list = (await run('cli.js', ['keys', 'list'], settings)).output;
    expect(list).toMatch(/^\S{43} {2}RS256 {2}active {3}\S+\n$/);
    const kid = list.slice(0, 43);
    expect((await run('cli.js', ['keys', 'rotate'], settings)).output).toMatch(/^published \S{43};/);
    expect((await run('cli.js', ['keys', 'remove', kid], settings)).output).toContain(`removed ${kid}`);
    expect((await run('cli.js', ['keys', 'list'], settings)).output).not.toContain(kid);
    expect(await run('cli.js', ['keys', 'remove', 'none'], settings)).toEqual({
      status: 1,
      output: 'There is no signing key none.\n',
    });
    expect((await stat(DATA_DIR)).isDirectory()).toBe(true);
    expect(await readdir(DATA_DIR)).not.toContain('postgres');
  }, 300_000);
});
