import type { TestApp, TestResponse } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  type TestCollection,
  triggersOf,
} from '../../harness/collection.js';
import { during, until } from './database.js';

/** Together with their padding, these records are more than a change in one transaction takes. */
export const ROWS = 3_000;
export const PADDING = 'x'.repeat(300);

/** Records `{n, code: "<n>", pad, city: "city <n>"}`; `city` is a flexible field, and every tenth record has none. */
export async function largeCollection(
  app: TestApp,
  home: Home,
  wanted: object = {},
): Promise<TestCollection> {
  const properties = { n: { type: 'integer' }, code: { type: 'text' }, pad: { type: 'text' } };
  const collection = await newCollection(app, home, { properties, ...wanted });
  for (let from = 0; from < ROWS; from += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, index) => from + index).map(n => ({
      n,
      code: String(n),
      pad: PADDING,
      ...(n % 10 > 0 && { city: `city ${n}` }),
    }));
    await insert(app, collection, ...records);
  }
  return collection;
}

/** Changes the schema by HTTP. */
export function change(
  app: TestApp,
  { path, owner }: TestCollection,
  properties: object,
): Promise<TestResponse> {
  return app.request('PATCH', `${path}/schema`, { ...owner, body: { properties } });
}

/** A moment of a running change. */
export interface Moment {
  /** SQL that is true for the update of a record that the change must wait for. */
  readonly held: string;
  /** True when the change has reached the moment. */
  readonly isReached: () => Promise<boolean>;
}

/** The change cannot copy the record with `n` 2001. Records that are written now are checked for the new schema. */
export function copying(app: TestApp, collection: TestCollection): Moment {
  return {
    held: 'OLD.c1 = 2001',
    isReached: async () => (await triggersOf(app, collection)).includes('move_values'),
  };
}

/** The schema has changed, and the change cannot remove the copy of `city` from the record with `n` 2001. */
export function cleaning(app: TestApp, { path, owner }: TestCollection): Moment {
  return {
    held: `OLD.c1 = 2001 AND OLD.x ? 'city' AND NOT NEW.x ? 'city'`,
    isReached: async () => 'city' in (await app.request('GET', path, owner)).body.schema,
  };
}

/** Starts a change, runs `work` at a moment of it, and then lets the change continue. Resolves to its answer. */
export async function whileHeld(
  app: TestApp,
  { table }: TestCollection,
  { held, isReached }: Moment,
  start: () => Promise<TestResponse>,
  work: () => Promise<void>,
): Promise<TestResponse> {
  const lock = `pg_advisory_xact_lock(hashtext('${table}'))`;
  await app.sql(`
    CREATE FUNCTION ${table}_wait() RETURNS trigger LANGUAGE plpgsql AS
      $f$ BEGIN PERFORM ${lock}; RETURN NEW; END $f$;
    CREATE TRIGGER a_wait BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (${held}) EXECUTE FUNCTION ${table}_wait()`);
  const changing = await during(app, `SELECT ${lock}`, async () => {
    const answer = start();
    // A test may end the service before it waits for the answer.
    answer.catch(() => undefined);
    await until(isReached);
    await work();
    return { answer };
  });
  const answer = await changing.answer;
  await app.sql(`DROP FUNCTION ${table}_wait() CASCADE`);
  return answer;
}
