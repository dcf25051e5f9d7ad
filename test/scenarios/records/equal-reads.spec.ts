import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { roundTrips } from '../../harness/round-trips.js';
import { newKey } from '../orgs/org.js';
import { during } from '../schema/database.js';

const READS = 60;

describe('equal reads of many callers at the same time', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    collection = await newTypedCollection(app, home);
    await insert(app, collection, { year: 1 }, { year: 2 });
  });

  const count = (caller: object = collection.owner) => app.request('GET', `${collection.data}/count`, caller);

  it('are fewer statements when they wait for the database, and each caller needs its own rights', async () => {
    const other = await newHome(app);
    const { apiKey } = await newKey(app, other.org);
    let answers: Awaited<ReturnType<typeof count>>[] = [];
    const used = await roundTrips(app, async () => {
      const sent = await during(app, `LOCK TABLE ${collection.table}`, async () => {
        const all = Array.from({ length: READS }, () => count());
        const refused = await count({ key: apiKey });
        expect(outcome(refused)).toEqual([404, 'CollectionNotFound']);
        await new Promise(resolve => setTimeout(resolve, 300));
        return { all };
      });
      answers = await Promise.all(sent.all);
    });
    expect(answers.map(({ status, body }) => [status, body.count])).toEqual(Array(READS).fill([200, 2]));
    expect(used).toBeLessThan(READS / 2);
  });

  it('see every write that was acknowledged before they were sent', async () => {
    const books = await newTypedCollection(app, home);
    const path = `${books.data}/aggregate`;
    const body = { steps: [{ type: 'count', output_field: 'n' }] };
    const reads: Promise<{ before: number; seen: number }>[] = [];
    for (let written = 1; written <= 30; written++) {
      await insert(app, books, { year: written });
      for (let read = 0; read < 20; read++)
        reads.push(
          app
            .request('POST', path, { ...books.owner, body })
            .then(answer => ({ before: written, seen: answer.body.results[0].n })),
        );
    }
    const late = (await Promise.all(reads)).filter(({ before, seen }) => seen < before);
    expect(late).toEqual([]);
  });
});
