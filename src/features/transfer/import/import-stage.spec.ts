import { expect, it } from 'vitest';
import type { JsonObject } from '../../../base/kernel/json.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import type { CopySession } from '../../../engine/storage/copy/copy-sessions.js';
import { FieldNotes } from './field-notes.js';
import { RowErrors } from './import-answer.js';
import { ImportStage } from './import-stage.js';

const SHAPE: CollectionShape = {
  id: '00000000-0000-7000-8000-000000000001',
  orgId: '00000000-0000-7000-8000-000000000002',
  version: 1,
  mayExpire: false,
  columns: {
    k: { type: 'text', nullable: true, number: 1 },
    year: { type: 'integer', nullable: true, number: 7 },
  },
};

/** The JSON text of each row that an upsert of these records by `k` stages, without its id. */
async function staged(records: Iterable<unknown>): Promise<string[]> {
  const rows: string[] = [];
  const session = {
    query: async (_: string, [, json]: [number, string]) => {
      rows.push(...JSON.parse(json).map(({ _id, ...row }: JsonObject) => JSON.stringify(row)));
      return [];
    },
  } as unknown as CopySession;
  const errors = new RowErrors();
  const stage = new ImportStage(session, SHAPE, 'k', errors, new FieldNotes(SHAPE), undefined);
  let row = 0;
  for (const record of records) await stage.add({ row: ++row, record });
  await stage.end();
  expect(errors.reported).toEqual([]);
  return rows;
}

const fields = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n.toString(36)}`, 1]));

it('merges rows with the same upsert key; fields keep the place of their first row', async () => {
  expect(
    await staged([
      { k: 'a', p: 1, constructor: 1, q: { deep: 1 } },
      { k: 'b', year: 1 },
      { k: 'a', q: { other: 2 }, toString: 2, 7: 2 },
      { k: 'b', s: 2 },
      { k: 'a', year: 3, p: null },
      { k: 'b', s: 3, t: 3 },
    ]),
  ).toEqual([
    '{"n":5,"c1":"a","x":{"7":2,"p":null,"constructor":1,"q":{"other":2},"toString":2},"c7":3,"d":{"c1":1,"x":1,"c7":1}}',
    '{"n":6,"c1":"b","c7":1,"x":{"s":3,"t":3},"d":{"c1":1,"c7":1,"x":1}}',
  ]);
});

it('does not modify the records that it merges', async () => {
  const records = [{ k: 'a' }, { k: 'a', p: { q: 1 } }, { k: 'a', p: { r: 2 }, s: 1 }, { k: 'a', t: 1 }];
  const before = structuredClone(records);
  await staged(records);
  expect(records).toEqual(before);
});

it('merges each row in time linear in its own fields, however many fields its upsert key has', async () => {
  // Copying the merged fields for every row would take many minutes.
  const wide = [...'abcdef'].map(prefix => ({ k: 'a', ...fields(prefix, 49_000) }));
  const tiny = Array.from({ length: 10_000 }, () => ({ k: 'a' }));
  const [row, ...more] = await staged([...wide, ...tiny]);
  expect(more).toEqual([]);
  const { n, x } = JSON.parse(row as string);
  expect([n, Object.keys(x).length]).toEqual([10_006, 6 * 49_000]);
});
