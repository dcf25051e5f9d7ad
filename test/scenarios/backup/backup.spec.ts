import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { backupLines } from '../../../src/cli/backup/logical-backup.js';
import { canUse } from '../../../src/cli/backup/pg-tools.js';
import { withSession } from '../../../src/cli/backup/target-database.js';
import { serverMajor } from '../../../src/cli/backup.commands.js';
import { OrgRemoval } from '../../../src/features/orgs/org-removal.service.js';
import { AuditChains } from '../../../src/platform/audit/audit-chains.service.js';
import { AuditCheckpoints } from '../../../src/platform/audit/audit-checkpoints.service.js';
import { migrationNames } from '../../../src/platform/database/migrate.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  EVERY_TYPE,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { schemaOf } from '../../harness/tables.js';
import { until } from '../changes/feed.js';
import { newMember } from '../orgs/org.js';
import { during } from '../schema/database.js';
import { run, scratchDirectory } from '../start/service.js';
import { type Receiver, startReceiver } from '../webhooks/receiver.js';

const SIGNAL = new AbortController().signal;
/** Tables that no backup contains, and tables that a starting service changes by itself. */
const LEFT_OUT = [
  'migrations',
  'rate_limits',
  'record_feeds',
  'record_changes',
  'change_notes',
  'quota_leases',
  'quota_returns',
];

/** A backup of the service, and what its database contained when it was taken. */
interface Backup {
  readonly file: string;
  readonly contents: Awaited<ReturnType<typeof contents>>;
}

let app: TestApp;
let home: Home;
let books: TestCollection;
let followed: TestCollection;
let deleted: TestCollection;
/** The history of a record that was updated before the backup. */
let history: string;
let receiver: Receiver;
let environment: Record<string, string>;
let directory: string;
let backup: Promise<Backup> | undefined;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startOwnApp({
    database: 'own',
    environment: { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' },
  });
  environment = {
    SECRETS_MASTER_KEYS: app.settings.SECRETS_MASTER_KEYS.join(','),
    PUBLIC_URL: app.url,
    OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1',
  };
  home = await newHome(app);
  books = await newCollection(app, home, {
    properties: EVERY_TYPE,
    indexes: [{ properties: ['year'] }, { properties: ['details'] }],
    uniques: [{ properties: ['title'] }],
  });
  const ids = await insert(
    app,
    books,
    EMMA,
    { title: 'Quotes " \\ \n\t\u2028 and ünïcode 🦉', year: -9007199254740991, price: 1e-300, tags: [] },
    { title: null, price: -0.1 + 0.3, details: [null, { a: 'null' }], deep: { of: [{ it: 1.5e300 }] } },
    ...Array.from({ length: 700 }, (_, n) => ({ title: `t${n}`, year: n, lent: n % 2 === 0 })),
    { title: 'long', text: 'x'.repeat(3_000_000) },
    { title: 'gone soon' },
  );
  await expire(app, books, ids.at(-1) as string);
  await succeed(app, books, 'PATCH', `/data/${ids[0]}`, { year: 1816 });
  history = `${books.data}/${ids[0]}/history`;
  followed = await newCollection(app, home, { settings: { ttl_days: 3 } });
  const hook = { url: receiver.url };
  expect((await app.request('POST', `${followed.path}/webhooks`, { ...home.owner, body: hook })).status).toBe(
    201,
  );
  await insert(app, followed, { a: 1 });
  // Otherwise the message could change between the backup and the comparison.
  const messages = () => app.sql(`SELECT status FROM webhook_deliveries`);
  await until(async () => (await messages()).some(({ status }) => status === 'delivered'));
  deleted = await newCollection(app, home, { properties: EVERY_TYPE, uniques: [{ properties: ['title'] }] });
  const [id] = await insert(app, deleted, { title: 'to be deleted' });
  await succeed(app, deleted, 'PATCH', `/data/${id}`, { title: 'deleted' });
  await app.request('POST', `${deleted.path}/webhooks`, { ...home.owner, body: hook });
  await app.request('DELETE', deleted.path, home.owner);
  await newMember(app, home.org, { permissions: ['collections:read'] });
  await app.nest.get(AuditChains).extendAll(SIGNAL);
  await app.nest.get(AuditCheckpoints).signAll(SIGNAL);
  directory = await mkdtemp(join(tmpdir(), 'typed-collections-backup-'));
});
afterAll(async () => {
  await app.close();
  await receiver.close();
  await rm(directory, { recursive: true });
});

const cli = (url: string, ...args: string[]) => run('cli.js', args, { DATABASE_URL: url, ...environment });
const source = () => app.settings.DATABASE_URL as string;

/** Creates an empty database. It is dropped at the end of the run with the others. */
async function emptyDatabase(): Promise<string> {
  const { url, prefix } = inject('testServer');
  const name = `${prefix}${randomBytes(4).toString('hex')}`;
  await rowsOf(url, `CREATE DATABASE ${name}`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

// biome-ignore lint/suspicious/noExplicitAny: the columns depend on the statement
async function rowsOf(url: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.map(row => row.join('|'));
  } finally {
    await client.end();
  }
}

const IN_OURS = `n.nspname = 'public' OR n.nspname LIKE 'org\\_%'`;

/** Every table, column, constraint, index, trigger and function, and every row as text. */
async function contents(url: string) {
  const structure = [
    `SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
       pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE (${IN_OURS}) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2, a.attnum`,
    `SELECT schemaname, tablename, indexdef FROM pg_indexes n WHERE schemaname = 'public' OR schemaname LIKE 'org\\_%' ORDER BY 1, 2, 3`,
    `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(n.oid) FROM pg_constraint n
     WHERE conrelid <> 0 ORDER BY 1, 2`,
    `SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`,
    `SELECT n.nspname, regexp_replace(p.prosrc, '\\s+', ' ', 'g') FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE (${IN_OURS}) ORDER BY 1, 2`,
  ];
  const tables = await rowsOf(
    url,
    `SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE (${IN_OURS}) AND c.relkind = 'r' ORDER BY 1`,
  );
  const kept = tables.filter(name => !LEFT_OUT.includes(name.split('.')[1]));
  const rows: Record<string, string[]> = {};
  for (const name of kept) {
    // The running service leases and returns quota at any time.
    const columns = name.endsWith('.record_quotas')
      ? 't.collection_id'
      : name === 'public.webhooks'
        ? `to_jsonb(t) - '{feed,after_xid,after_seq}'::text[]`
        : 't';
    rows[name] = await rowsOf(url, `SELECT (${columns})::text FROM ${name} t ORDER BY 1`);
  }
  return { structure: await Promise.all(structure.map(text => rowsOf(url, text))), rows };
}

async function backedUp(into: string, ...options: string[]): Promise<string> {
  const file = join(into, 'platform.backup');
  const { status, output } = await cli(source(), 'backup', file, ...options);
  expect([status, output]).toEqual([0, expect.stringContaining(`wrote ${file}`)]);
  expect(output).toContain('The backup does not contain SECRETS_MASTER_KEYS');
  return file;
}

/** The logical backup that the tests of this file share. The first call takes it. */
function logicalBackup(): Promise<Backup> {
  const take = async () => ({
    file: await backedUp(directory, '--logical'),
    contents: await contents(source()),
  });
  backup ??= take();
  return backup;
}

/**
 * Checks that a second service on the restored database gives the same answers to the same credentials as the
 * first.
 */
async function expectTheSameService(url: string): Promise<void> {
  const verified = await cli(url, 'audit', 'verify');
  expect([verified.status, verified.output]).toEqual([0, expect.stringContaining(`${home.org.slug}: `)]);
  expect(verified.output).toContain('and 1 checkpoints verified');
  const second = await startOwnApp({ database: { url }, environment });
  onTestFinished(() => second.close());
  const same = [books.path, `${books.data}?limit=100`, history, `${home.org.path}/audit?limit=100`, '/v2/me'];
  for (const path of same) {
    const [one, other] = await Promise.all([app, second].map(each => each.request('GET', path, home.owner)));
    expect(one?.status, path).toBe(200);
    expect(other?.text, path).toBe(one?.text);
  }
  const { orgApiKey: key, accessToken: token } = app.bootstrap;
  for (const caller of [{ key }, { token }]) {
    expect((await second.request('GET', '/v1/collections', caller)).status).toBe(200);
  }
  const twice = await second.request('POST', books.data, {
    ...home.owner,
    body: { records: [{ title: 'Emma' }] },
  });
  expect(twice.body.error).toBe('AlreadyExists');
  const restored = await second.request('POST', `/v1/trash/collections/${deleted.id}/restore`, home.owner);
  expect(restored.status).toBe(200);
  const { records } = await search(second, deleted);
  expect(records).toMatchObject([{ title: 'deleted' }]);
  const { _id } = records[0];
  await succeed(second, deleted, 'PATCH', `/data/${_id}`, { title: 'restored' });
  const versions = await succeed(second, deleted, 'GET', `/data/${_id}/history`);
  expect(versions.items.map(({ record }: { record: { title: string } }) => record.title)).toEqual([
    'restored',
    'deleted',
    'to be deleted',
  ]);
  const before = receiver.arrived.length;
  await insert(second, followed, { b: 2 });
  await expect.poll(() => receiver.arrived.length).toBeGreaterThan(before);
}

describe('a logical backup', () => {
  it('restored into an empty database, has the same tables, rows and answers', async () => {
    const { file, contents: expected } = await logicalBackup();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const url = await emptyDatabase();
    const { status, output } = await cli(url, 'restore', file);
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(/^restored \d+ tables, \d+ rows, backed up at /m),
    ]);
    expect(output).toContain('The service needs the master keys named test.');
    expect(await contents(url)).toEqual(expected);
    await expectTheSameService(url);
  });

  it('contains no master key and no secret in plain text', async () => {
    const { file } = await logicalBackup();
    const text = gunzipSync(await readFile(file)).toString();
    const [, key] = (environment.SECRETS_MASTER_KEYS as string).split(':') as [string, string];
    for (const secret of [key, app.bootstrap.accessToken, app.bootstrap.orgApiKey, home.org.owner.token]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('Highbury');
  });

  it('contains one moment, whatever is written, created or dropped while it is taken', async () => {
    const extra = await newCollection(app, home);
    await insert(app, extra, { kept: 'written-before' });
    const lines = await withSession(source(), async session => {
      const written: string[] = [];
      for await (const line of backupLines(session, () => {})) {
        if (written.length === 0) {
          await insert(app, extra, { kept: 'written-meanwhile' });
          await newCollection(app, home, { name: 'made-meanwhile' });
        }
        written.push(line);
      }
      return written.join('');
    });
    expect(lines).toContain('written-before');
    expect(lines).not.toContain('written-meanwhile');
    expect(lines).not.toContain('made-meanwhile');
    expect((await app.request('DELETE', extra.path, home.owner)).status).toBe(200);
  });

  it('contains nothing of a deleted organization whose tables could not be dropped yet', async () => {
    const former = await newHome(app);
    const collection = await newCollection(app, former);
    await insert(app, collection, { kept: 'of-a-deleted-organization' });
    const lines = await during(app, `LOCK TABLE ${collection.table} IN ACCESS SHARE MODE`, async () => {
      expect((await app.request('DELETE', former.org.path, former.owner)).status).toBe(200);
      expect(await app.sql(`SELECT FROM ${collection.table}`)).toHaveLength(1);
      return withSession(source(), async session => {
        const written: string[] = [];
        for await (const line of backupLines(session, () => {})) written.push(line);
        return written.join('');
      });
    });
    expect(lines).toContain(schemaOf(home.org.id));
    expect(lines).not.toContain(schemaOf(former.org.id));
    expect(lines).not.toContain('of-a-deleted-organization');
  });

  it('succeeds while the tables of a deleted organization are dropped', async () => {
    const former = await newHome(app);
    const { table } = await newCollection(app, former);
    await during(app, `LOCK TABLE ${table} IN ACCESS SHARE MODE`, () =>
      app.request('DELETE', former.org.path, former.owner),
    );
    expect(await app.sql(`SELECT FROM ${table}`)).toEqual([]);
    const lines = await withSession(source(), async session => {
      const written: string[] = [];
      for await (const line of backupLines(session, () => {})) {
        if (written.push(line) > 1) continue;
        const removal = app.nest.get(OrgRemoval, { strict: false });
        expect(await removal.removeDeleted(new AbortController().signal)).toMatchObject({ left: 0 });
        expect(await app.sql('SELECT to_regclass($1) AS name', [table])).toEqual([{ name: null }]);
      }
      return written.join('');
    });
    expect(lines).toContain(schemaOf(home.org.id));
    expect(lines).not.toContain(schemaOf(former.org.id));
  });

  it('does not overwrite a file', async () => {
    const { file } = await logicalBackup();
    const again = await cli(source(), 'backup', file, '--logical');
    expect([again.status, again.output]).toEqual([1, expect.stringContaining('exists already')]);
  });
});

describe('a restore', () => {
  it('is refused while the service runs on the database, and into one that is not empty; --force replaces it', async () => {
    const { file, contents: expected } = await logicalBackup();
    const url = await freshDatabaseUrl();
    const running = await startOwnApp({ database: { url }, environment });
    const refused = await cli(url, 'restore', file, '--force');
    expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('Stop all instances')]);
    await running.close();
    const before = await contents(url);
    const full = await cli(url, 'restore', file);
    expect([full.status, full.output]).toEqual([1, expect.stringContaining('not empty')]);
    expect(await contents(url)).toEqual(before);
    expect(await cli(url, 'restore', file, '--force')).toMatchObject({ status: 0 });
    expect((await contents(url)).rows).toEqual(expected.rows);
  });

  it('needs no --force if the tables exist and are empty', async () => {
    const { file } = await logicalBackup();
    const url = await freshDatabaseUrl();
    expect(await cli(url, 'restore', file)).toMatchObject({ status: 0 });
  });

  it('that fails in the middle leaves a database on which no service starts, and can be repeated', async () => {
    const { file, contents: expected } = await logicalBackup();
    const broken = join(await scratchDirectory(), 'broken');
    const text = gunzipSync(await readFile(file)).toString();
    await writeFile(broken, gzipSync(text.replace(EMMA.printed, 'no date')));
    const url = await emptyDatabase();
    const failed = await cli(url, 'restore', broken);
    expect([failed.status, failed.output]).toEqual([1, expect.stringContaining('invalid input syntax')]);
    const service = await run('main.js', [], { PORT: '0', DATABASE_URL: url, ...environment });
    expect([service.status, service.output]).toEqual([
      1,
      expect.stringContaining('has failed. Run it again'),
    ]);
    expect(await cli(url, 'restore', file)).toMatchObject({ status: 0 });
    expect((await contents(url)).rows).toEqual(expected.rows);
  });

  it('of a file of pg_dump that fails leaves a database on which no service starts, and can be repeated', async () => {
    const { file } = await logicalBackup();
    const tools = await scratchDirectory();
    const [oldest] = migrationNames() as [string];
    // Stands in for pg_restore of every version, which stops before it has restored anything.
    const text = `#!/bin/sh
case $* in
  --version) echo 'pg_restore (PostgreSQL) 99.0' ;;
  *--data-only*) printf '1\\t1\\t${oldest}\\n' ;;
  *) echo 'no space left' >&2; exit 1 ;;
esac
`;
    await writeFile(join(tools, 'pg_restore'), text, { mode: 0o755 });
    const dump = join(tools, 'dump');
    await writeFile(dump, 'PGDMP');
    const url = await emptyDatabase();
    const settings = { DATABASE_URL: url, ...environment };
    const PATH = `${tools}:${process.env.PATH}`;
    const failed = await run('cli.js', ['restore', dump], { ...settings, PATH });
    expect([failed.status, failed.output]).toEqual([1, expect.stringContaining('no space left')]);
    for (const [program, args] of [
      ['main.js', []],
      ['cli.js', ['migrate']],
    ] as const) {
      const { status, output } = await run(program, args, { PORT: '0', ...settings });
      expect([status, output]).toEqual([1, expect.stringContaining('has failed. Run it again')]);
    }
    expect(await cli(url, 'restore', file)).toMatchObject({ status: 0 });
  });

  it('changes nothing when the file is truncated, from a newer version, or of another kind', async () => {
    const { file } = await logicalBackup();
    const bytes = await readFile(file);
    const lines = gunzipSync(bytes).toString().split('\n');
    const [header = ''] = lines;
    const newer = { ...JSON.parse(header), migrations: ['Unknown1'] };
    const url = await emptyDatabase();
    const cases = [
      [bytes.subarray(0, bytes.length / 2), 'is not a complete backup'],
      [gzipSync(lines.slice(0, -2).join('\n')), 'is not a complete backup'],
      [gzipSync([header, ...lines.slice(4)].join('\n')), 'is not a complete backup'],
      [gzipSync([JSON.stringify(newer), ...lines.slice(1)].join('\n')), 'newer or different version'],
      [Buffer.from('something else'), 'is not a complete backup'],
    ] as const;
    await Promise.all(
      cases.map(async ([content, reason]) => {
        const bad = join(await scratchDirectory(), 'bad');
        await writeFile(bad, content);
        const { status, output } = await cli(url, 'restore', bad);
        expect([status, output]).toEqual([1, expect.stringContaining(reason)]);
      }),
    );
    expect(await rowsOf(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });
});

it('from pg_dump, where its version can read the server, gives the same too', async ({ skip }) => {
  if (!(await canUse('pg_dump', await serverMajor(source())))) skip();
  const file = await backedUp(await scratchDirectory());
  expect((await readFile(file)).toString('latin1', 0, 5)).toBe('PGDMP');
  const url = await emptyDatabase();
  const restored = await cli(url, 'restore', file);
  expect([restored.status, restored.output]).toEqual([0, expect.stringContaining('with pg_restore')]);
  expect((await contents(url)).rows).toEqual((await contents(source())).rows);
  await expectTheSameService(url);
});

describe('the file that pg_dump writes', () => {
  /**
   * Stands in for pg_dump of every version: reports the mode of its file while that is empty, then writes or
   * fails.
   */
  async function stub(ending: string) {
    const directory = await scratchDirectory();
    const text = `#!/bin/sh
if [ "$1" = --version ]; then echo 'pg_dump (PostgreSQL) 99.0'; exit 0; fi
for argument in "$@"; do case $argument in --file=*) file=\${argument#--file=};; esac; done
umask 022
ls -l "$file" | cut -c1-10 > ${directory}/mode
echo PGDMP > "$file"
${ending}
`;
    await writeFile(join(directory, 'pg_dump'), text, { mode: 0o755 });
    const PATH = `${directory}:${process.env.PATH}`;
    const file = join(directory, 'platform.backup');
    return { directory, file, settings: { DATABASE_URL: source(), ...environment, PATH } };
  }

  it('is readable by its owner alone, even before it has content', async () => {
    const { directory, file, settings } = await stub('exit 0');
    expect((await run('cli.js', ['backup', file], settings)).status).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(directory, 'mode'), 'utf8')).toBe('-rw-------\n');
    expect((await readdir(directory)).sort()).toEqual(['mode', 'pg_dump', 'platform.backup']);
  });

  it('does not inherit the mode of a file from an earlier attempt', async () => {
    const { file, settings } = await stub('exit 0');
    await writeFile(`${file}.part`, 'left over', { mode: 0o644 });
    expect((await run('cli.js', ['backup', file], settings)).status).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe('PGDMP\n');
  });

  it('is deleted when pg_dump fails, or when the command is stopped', async () => {
    for (const [ending, status] of [
      ['echo "no space left" >&2; exit 1', 1],
      ['kill -TERM $PPID; sleep 60', 1],
    ] as const) {
      const { directory, file, settings } = await stub(ending);
      expect((await run('cli.js', ['backup', file], settings)).status).toBe(status);
      expect((await readdir(directory)).sort()).toEqual(['mode', 'pg_dump']);
    }
  });
});
