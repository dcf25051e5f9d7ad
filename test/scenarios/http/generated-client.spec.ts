import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import { insert, newCollection, newHome, search, type TestCollection } from '../../builders/collection.js';
import { now } from '../changes/feed.js';

interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Builds a request of an operation from the description alone. */
type Build = (wanted: {
  readonly spec: object;
  readonly operationId: string;
  readonly parameters: object;
  readonly requestBody?: string;
  readonly requestContentType?: string;
}) => BuiltRequest;

/** swagger-client, which Swagger UI contains. */
function swaggerClient(): Build {
  // Swagger UI looks for the window of a browser while it is loaded.
  Object.assign(globalThis, { window: globalThis });
  try {
    const { System, presets } = createRequire(import.meta.url)('swagger-ui-dist/swagger-ui-es-bundle.js');
    return new System({ plugins: [presets.base] }).getSystem().fn.buildRequest;
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
  }
}

describe('a client that is generated from the description', () => {
  let app: TestApp;
  let books: TestCollection;
  let spec: { paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>> };
  let build: Build;
  beforeAll(async () => {
    app = await startApp();
    spec = (await app.request('GET', '/openapi.json')).body;
    build = swaggerClient();
    books = await newCollection(app, await newHome(app), {
      properties: { title: { type: 'text' }, limit: { type: 'integer' } },
    });
    await insert(app, books, { title: 'Emma', limit: 2 }, { title: 'Sanditon', limit: 3 });
  });

  const call = (operationId: string, parameters: object, body: object = {}) => {
    const request = build({
      ...{ spec, operationId, ...body },
      parameters: { collection_id: books.id, ...parameters },
    });
    const { url, method } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return app.request(method, url, { ...books.owner, headers, ...(request.body && { raw: request.body }) });
  };
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
        format: 'ndjson',
      });
      expect(text).toBe('{"title":"Emma"}\n');
    },
    listChanges: async () => {
      const since = await now(app, books);
      await insert(app, books, { title: 'Lady Susan', limit: 8 }, { title: 'Catharine', limit: 9 });
      const { body } = await call('listChanges', { since, filter: { limit: 9 }, limit: 10 });
      expect(body.changes).toMatchObject([{ record: { title: 'Catharine' } }]);
    },
    importRecords: async () => {
      const file = { requestBody: 'Name,Shelf\nPersuasion,7\n', requestContentType: 'text/csv' };
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
    const operations = Object.values(spec.paths).flatMap(path => Object.values(path));
    const takesJson = operations.filter(each =>
      each.parameters?.some(({ content }) => content !== undefined),
    );
    expect(takesJson.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(CALLS).sort());
  });
});

interface Parameter {
  readonly content?: object;
}
