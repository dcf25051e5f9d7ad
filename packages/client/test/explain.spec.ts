import { randomUUID } from 'node:crypto';
import { NotFoundError } from '@typed-collections/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf, newLibrary, type TestLibrary } from './library.js';

describe('The access of somebody else', () => {
  let books: TestLibrary['books'];
  let id: string;
  const stranger = `user:${randomUUID()}`;
  beforeAll(async () => {
    ({ books } = await newLibrary());
    [id] = (await books.insert({ title: 'Emma', year: 1815 })).ids as [string];
  });

  it('is explained for a record and for an insert, of the caller itself without a principal', async () => {
    const own = { via: 'org_role', role: 'owner', rule: true, holds: true, conditions: [], fields: null };
    expect(await books.explainAccess('update', id)).toEqual({ allowed: true, grants: [own] });
    expect(await books.explainInsert({ title: 'Persuasion' })).toEqual({ allowed: true, grants: [own] });
    const none = { allowed: false, grants: [] };
    expect(await books.explainAccess('read', id, { of: stranger })).toEqual(none);
    expect(await books.explainInsert({ title: 'Persuasion' }, { of: stranger })).toEqual(none);
  });

  it('is that of reads with viewAs, at each of them', async () => {
    const viewAs = stranger;
    const steps = [{ type: 'count', output_field: 'n' }] as const;
    const reads = [
      () => books.find({}, { viewAs }).toArray(),
      () => books.find({}, { viewAs }).count(),
      () => books.get(id, { viewAs }),
      () => books.distinct('year', {}, { viewAs }),
      () => books.aggregate({ steps }, { viewAs }),
      () => books.history(id, { viewAs }).next(),
    ];
    for (const read of reads) expect(await failureOf(read())).toBeInstanceOf(NotFoundError);
  });
});
