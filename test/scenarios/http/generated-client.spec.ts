import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, search, type TestCollection } from '../../harness/collection.js';
import { now } from '../changes/feed.js';
import { type Description, GENERATED, type GeneratedCall, operationsOf } from './generated-clients.js';

describe.each(Object.entries(GENERATED))('a client that %s makes from the description', (_, generate) => {
  let app: TestApp;
  let books: TestCollection;
  let spec: Description;
  let call: GeneratedCall;
  beforeAll(async () => {
    app = await startApp();
    spec = (await app.request('GET', '/openapi.json')).body;
    books = await newCollection(app, await newHome(app), {
      properties: { title: { type: 'text' }, limit: { type: 'integer' } },
    });
    await insert(app, books, { title: 'Emma', limit: 2 }, { title: 'Sanditon', limit: 3 });
    call = await generate(app, spec, books);
  });

  // The filter names a field as a parameter of the operation is named, which it would be if the object were taken apart.
  const filter = { limit: 2 };
  const CALLS: Record<string, () => Promise<unknown>> = {
    queryRecords: async () => {
      const { body } = await call('queryRecords', {
        filter,
        sort: { title: -1 },
        fields: ['title'],
        limit: 10,
      });
      expect(body.records).toEqual([{ _id: expect.any(String), title: 'Emma' }]);
      const sorted = await call('queryRecords', { sort: { limit: -1 }, at: 2 });
      expect(sorted.body.records).toMatchObject([{ title: 'Emma' }]);
    },
    countRecords: async () => expect((await call('countRecords', { filter })).body.count).toBe(1),
    distinctValues: async () => {
      const { body } = await call('distinctValues', { filter, field: 'title' });
      expect(body.values).toEqual(['Emma']);
    },
    exportRecords: async () => {
      const { text } = await call('exportRecords', {
        filter,
        fields: { _id: 0, title: 1 },
        format: 'csv',
      });
      expect(text.split(/\s+/)).toEqual(['title', 'Emma', '']);
    },
    listChanges: async () => {
      const since = await now(app, books);
      await insert(app, books, { title: 'Lady Susan', limit: 8 }, { title: 'Catharine', limit: 9 });
      const { body } = await call('listChanges', { since, filter: { limit: 9 }, limit: 10 });
      expect(body.changes).toMatchObject([{ record: { title: 'Catharine' } }]);
    },
    importRecords: async () => {
      const file = { text: 'Name,Shelf\nPersuasion,7\n', type: 'text/csv' };
      await call('importRecords', { columns: { Name: 'title', Shelf: null } }, file);
      const { records } = await search(app, books, { filter: { title: 'Persuasion' } });
      expect(records).toHaveLength(1);
      expect(records[0]).not.toHaveProperty('Shelf');
    },
  };

  it.each(Object.entries(CALLS))('sends the objects of %s as the service reads them', async (_, run) => {
    await run();
  });

  it('is tried with every operation that takes JSON as a parameter', () => {
    const takesJson = operationsOf(spec).filter(each =>
      each.parameters?.some(({ content }) => content !== undefined),
    );
    expect(takesJson.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(CALLS).sort());
  });
});
