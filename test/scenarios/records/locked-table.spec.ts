import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import { EMMA, type Home, insert, newHome, newTypedCollection, read } from '../../builders/collection.js';

/** More than there are connections for reads by id. */
const READERS = 12;

describe('a table that is locked, as for a change of its schema', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  // Warm statements are prepared; those of a collection that was never read are prepared under the lock.
  it.each([0, 3])('lets its readers wait, and nobody else, after %i reads', async warm => {
    const [locked, other] = [await newTypedCollection(app, home), await newTypedCollection(app, home)];
    const [[lockedId = ''], [otherId = '']] = [
      await insert(app, locked, EMMA),
      await insert(app, other, EMMA),
    ];
    for (let each = 0; each < warm; each++) await read(app, locked, lockedId);
    const runner = app.nest.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(`LOCK TABLE ${locked.table} IN ACCESS EXCLUSIVE MODE`);
      let answered = 0;
      const waiting = Array.from({ length: READERS }, async () => {
        const record = await read(app, locked, lockedId);
        answered++;
        return record?._id;
      });
      for (let each = 0; each < READERS; each++) expect((await read(app, other, otherId))._id).toBe(otherId);
      expect(answered).toBe(0);
      await runner.commitTransaction();
      expect(await Promise.all(waiting)).toEqual(Array(READERS).fill(lockedId));
    } finally {
      await runner.release();
    }
  });
});
