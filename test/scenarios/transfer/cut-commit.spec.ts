import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { newHome, type TestCollection, written } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { type DatabaseLink, linkTo } from '../operations/database-link.js';
import { importFile, newLibrary } from './transfer.js';

/** Longer than everything before the commit takes. */
const MAX_SECONDS = 5;
const FILE = 'title,code\r\nEmma,1\r\n';

describe('an import during its commit', () => {
  async function library(): Promise<[TestApp, TestCollection, DatabaseLink]> {
    const link = await linkTo(await freshDatabaseUrl());
    const environment = { TRANSFER_MAX_SECONDS: String(MAX_SECONDS) };
    const app = await startOwnApp({ database: { url: link.url }, environment });
    onTestFinished(() => app.close());
    return [app, await newLibrary(app, await newHome(app)), link];
  }

  it('is not aborted by the time limit: written records are reported as written', async () => {
    const [app, collection] = await library();
    const { table } = collection;
    await app.sql(
      `CREATE FUNCTION ${table}_f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
         PERFORM pg_sleep(${MAX_SECONDS + 1}); RETURN NULL; END $f$`,
    );
    await app.sql(
      `CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION ${table}_f()`,
    );
    const { status, text, last } = await importFile(app, collection, FILE);
    expect([status, last], text).toMatchObject([200, { ok: true, inserted: 1 }]);
    expect((await written(app, collection))[0]).toBe(1);
  });

  it('does not state that nothing was written when its connection is cut', async () => {
    const [app, collection, link] = await library();
    link.holdAnswers('typed-collections import', 'COMMIT\0', async () => {
      // The commit has succeeded, but its answer has not arrived yet.
      await pause(500);
      throw new Error('cut');
    });
    const { status, body, headers } = await importFile(app, collection, FILE);
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'Unavailable', null]);
    expect(body.message).toContain('not known whether the write happened');
    expect(body.message).not.toMatch(/nothing was written/i);
    expect((await written(app, collection))[0]).toBe(1);
  });
});
