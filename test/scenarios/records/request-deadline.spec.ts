import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

const TIMEOUT_MS = 2_000;
/** The time that each attempt of a write takes before it fails. */
const ATTEMPT_MS = 600;
/** The last attempt starts before the deadline, however slow the machine is. */
const MOST_ATTEMPTS = Math.ceil(TIMEOUT_MS / ATTEMPT_MS);

const DEADLOCK = "'deadlock detected' USING ERRCODE = '40P01'";

describe('a write that repeatedly conflicts with others', () => {
  let app: TestApp;
  let hasty: TestApp;
  let home: Home;
  let key: string;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    hasty = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { REQUEST_TIMEOUT_MS: String(TIMEOUT_MS) },
    });
    key = (await newKey(app, home.org)).apiKey;
  });
  afterAll(() => hasty.close());

  const newBooks = () =>
    newCollection(app, home, {
      properties: { title: { type: 'text' }, year: { type: 'integer' } },
      uniques: [{ properties: ['title'] }],
    });

  /** Makes every write to the table fail in this way. Resolves to a function that counts the attempts. */
  async function failing({ table }: TestCollection, event: string, failure: string) {
    await app.sql(`CREATE SEQUENCE ${table}_attempts`);
    await app.sql(`CREATE FUNCTION ${table}_fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('${table}_attempts'), pg_sleep(${ATTEMPT_MS / 1_000}); RAISE EXCEPTION ${failure}; END $$`);
    await app.sql(
      `CREATE TRIGGER fail BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_fail()`,
    );
    return async () => {
      const [{ count }] = await app.sql(`SELECT last_value::int AS count FROM ${table}_attempts`);
      return count as number;
    };
  }

  const constraintOf = async ({ table }: TestCollection): Promise<string> => {
    const [{ name }] = await app.sql(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
       WHERE indrelid = $1::regclass AND indisunique AND NOT indisprimary`,
      [table],
    );
    return (name as string).split('.').at(-1) as string;
  };

  it.each([
    ['an insert', 'INSERT', 'POST', () => ['', { records: { title: 'Emma' } }]],
    [
      'a bulk upsert',
      'INSERT',
      'POST',
      () => ['/bulk', { records: [{ title: 'Emma' }], upsert_key: 'title' }],
    ],
    ['an update', 'UPDATE', 'PATCH', (id: string) => [`/${id}`, { year: 1815 }]],
    ['a deletion', 'DELETE', 'DELETE', (id: string) => [`/${id}`, undefined]],
  ] as const)(
    'retries %s that deadlocks until the deadline of the request: 409',
    async (_, event, method, request) => {
      const books = await newBooks();
      const [id = ''] = await insert(app, books, { title: 'Persuasion' });
      const before = await written(app, books);
      const attempts = await failing(books, event, DEADLOCK);
      const [path, body] = request(id);
      const answer = await hasty.request(method, `${books.data}${path}`, { key, body });
      expect(outcome(answer)).toEqual([409, 'Conflict']);
      expect(answer.body.message).toContain('Nothing was written');
      expect(await attempts()).toBeGreaterThan(1);
      expect(await attempts()).toBeLessThanOrEqual(MOST_ATTEMPTS);
      expect(await written(app, books)).toEqual(before);
    },
  );

  it.each([
    ['an upsert', () => ['/upsert', { data: { title: 'Emma' }, match_fields: ['title'] }]],
    ['a bulk upsert', () => ['/bulk', { records: [{ title: 'Emma' }], upsert_key: 'title' }]],
  ] as const)(
    'retries %s whose key others keep taking until the deadline of the request: 409',
    async (_, request) => {
      const books = await newBooks();
      const before = await written(app, books);
      const taken = `'duplicate key' USING ERRCODE = '23505', CONSTRAINT = '${await constraintOf(books)}'`;
      const attempts = await failing(books, 'INSERT', taken);
      const [path, body] = request();
      const answer = await hasty.request('POST', `${books.data}${path}`, { key, body });
      expect(outcome(answer)).toEqual([409, 'Conflict']);
      expect(answer.body.message).toContain('Nothing was written');
      expect(await attempts()).toBeGreaterThan(1);
      expect(await attempts()).toBeLessThanOrEqual(MOST_ATTEMPTS);
      expect(await written(app, books)).toEqual(before);
    },
  );
});
