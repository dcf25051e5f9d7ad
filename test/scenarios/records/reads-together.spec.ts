import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';

const READS = 40;

describe('reads by id that arrive at the same time', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });
  afterEach(() => void vi.restoreAllMocks());

  const titled = (...titles: string[]) => titles.map(title => ({ title }));
  const several = (prefix: string) => titled(...Array.from({ length: READS }, (_, n) => `${prefix} ${n}`));
  const readAll = ({ data, owner }: TestCollection, ids: readonly string[]) =>
    Promise.all(ids.map(id => app.request('GET', `${data}/${id}`, owner)));
  const titleOf = ({ body }: TestResponse) => body.record?.title;

  /** Reads of records that the app sends to the database while a function runs. */
  async function statementsOf(work: () => Promise<unknown>): Promise<number> {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    await work();
    return query.mock.calls.filter(([sent]) =>
      ((sent as { text?: string } | undefined)?.text ?? '').includes('AS tag FROM'),
    ).length;
  }

  it('share statements, and each gets its own record', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...several('book'));
    await readAll(collection, ids);
    let answers: TestResponse[] = [];
    const statements = await statementsOf(async () => {
      answers = await readAll(collection, ids);
    });
    expect(answers.map(titleOf)).toEqual(ids.map((_, n) => `book ${n}`));
    expect(answers.map(({ headers }) => headers.get('etag'))).not.toContain(null);
    expect(statements).toBeLessThan(READS);
  });

  it('get 404 only for the records that do not exist', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...several('book'));
    const wanted = ids.map((id, n) => (n % 2 === 0 ? id : randomUUID()));
    const answers = await readAll(collection, [...wanted, ids[0] as string]);
    expect(answers.at(-1)?.body).toEqual(answers[0]?.body);
    for (const [n, answer] of answers.slice(0, -1).entries()) {
      if (n % 2 === 0) expect(titleOf(answer)).toBe(`book ${n}`);
      else expect(outcome(answer)).toEqual([404, 'RecordNotFound']);
    }
  });

  it('of different collections get the records of their collection', async () => {
    const collections = [await newTypedCollection(app, home), await newTypedCollection(app, home)];
    const ids = await Promise.all(
      collections.map((each, n) => insert(app, each, ...several(`shelf ${n}, book`))),
    );
    const answers = await Promise.all(collections.map((each, n) => readAll(each, ids[n] as string[])));
    expect(answers.map(each => each.map(titleOf))).toEqual(
      ids.map((each, shelf) => each.map((_, n) => `shelf ${shelf}, book ${n}`)),
    );
  });

  it('get their records beside one that is too long to share a statement', async () => {
    const collection = await newTypedCollection(app, home);
    const long = 'x'.repeat(400_000);
    const ids = await insert(app, collection, ...titled('short', long, 'short too'));
    await readAll(collection, ids);
    expect((await readAll(collection, ids)).map(titleOf)).toEqual(['short', long, 'short too']);
  });

  it('get the records of a collection whose schema has just changed', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...several('book'));
    await readAll(collection, ids);
    // Another instance changes the schema, and this one does not know yet.
    await app.sql('UPDATE collections SET version = version + 1 WHERE id = $1', [collection.id]);
    expect((await readAll(collection, ids)).map(titleOf)).toEqual(ids.map((_, n) => `book ${n}`));
  });
});
