import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { NestLogger } from '../../../src/platform/http/logger.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newHome, newTypedCollection, type TestCollection } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { tableOf } from '../../harness/tables.js';
import { type DatabaseLink, linkTo } from '../operations/database-link.js';

/** Log lines of failures since the test began. */
function watchLog(): { warned: Line[]; failed: Line[] } {
  const seen = { warned: [] as Line[], failed: [] as Line[] };
  const take = (into: Line[]) => (line: unknown) => {
    if ((line as Line).message === 'a request failed') into.push(line as Line);
  };
  vi.spyOn(NestLogger.prototype, 'warn').mockImplementation(take(seen.warned));
  vi.spyOn(NestLogger.prototype, 'error').mockImplementation(take(seen.failed));
  onTestFinished(() => void vi.restoreAllMocks());
  return seen;
}

type Line = Record<string, unknown>;

describe('an internal failure', () => {
  let app: TestApp;
  let link: DatabaseLink;
  let books: TestCollection;
  let table: string;
  beforeEach(async () => {
    const url = await freshDatabaseUrl();
    link = await linkTo(url);
    app = await startOwnApp({ database: { url: link.url } });
    onTestFinished(() => app.close());
    books = await newTypedCollection(app, await newHome(app));
    await insert(app, books, { title: 'Emma' });
    const [{ org_id: orgId }] = await app.sql('SELECT org_id FROM collections WHERE id = $1', [books.id]);
    table = tableOf(orgId, books.id);
  });

  /** Makes every insert into the collection run this SQL. */
  async function onInsert(statement: string): Promise<void> {
    await app.sql(
      `CREATE FUNCTION ${table}_f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN ${statement}; RETURN NEW; END $f$`,
    );
    await app.sql(
      `CREATE TRIGGER fails BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_f()`,
    );
  }

  const add = (headers: Record<string, string> = {}) =>
    app.request('POST', books.data, { ...books.owner, headers, body: { records: { title: 'Persuasion' } } });

  it('is logged once with its SQLSTATE and cause, then counted; its 503 states that nothing was written', async () => {
    await onInsert(`RAISE 'could not extend file "base/1/2"' USING ERRCODE = 'disk_full'`);
    const { warned } = watchLog();
    const answers = [await add({ 'x-correlation-id': 'first-one' }), await add(), await add()];
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
      expect(answer.body.message).toMatch(/Nothing was written\. Retry in a few seconds/);
    }
    expect(warned).toEqual([
      {
        message: 'a request failed',
        correlationId: 'first-one',
        status: 503,
        code: 'Unavailable',
        sqlState: '53100',
        cause: 'could not extend file "base/1/2"',
      },
    ]);
  });

  it('with status 500 never states that nothing was written, and its log line contains no values', async () => {
    await onInsert(`RAISE 'invalid input syntax: "Persuasion by post"' USING ERRCODE = '22P02'`);
    const { failed } = watchLog();
    const { status, body, headers } = await add();
    expect(status).toBe(500);
    expect(body.message).not.toMatch(/nothing was written/i);
    expect(body.message).toContain(headers.get('x-correlation-id'));
    expect(failed).toMatchObject([{ sqlState: '22P02', cause: 'invalid input syntax: "…"' }]);
    expect(JSON.stringify(failed)).not.toContain('Persuasion');
  });

  it('after a lost connection states that the write may have happened, and does not ask for a blind retry', async () => {
    await onInsert('PERFORM pg_sleep(3)');
    const { warned } = watchLog();
    const [plain, keyed] = [add(), add({ 'idempotency-key': 'one-and-the-same' })];
    const read = app.request('POST', `${books.data}/query`, {
      ...books.owner,
      body: { filter: { title: { $regex: '(.*a){20}' } } },
    });
    await pause(1_000);
    await link.cut();
    const [unknown, withKey] = [await plain, await keyed];
    await read;
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, null]);
    expect(unknown.body.message).toMatch(/not known whether the write happened.*Idempotency-Key/);
    expect([withKey.status, Number(withKey.headers.get('retry-after')) > 0]).toEqual([503, true]);
    const after = await app.request('POST', `${books.data}/query`, { ...books.owner, body: {} });
    expect([after.status, Number(after.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(after.body.message).toMatch(/Nothing was written/);
    expect(warned.length).toBeGreaterThan(0);
    await link.restore();
  });
});
