import { PreconditionFailedError } from '@typed-collections/client';
import { createApi } from '@typed-collections/client/api';
import { beforeAll, expect, it } from 'vitest';
import { failureOf, newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
beforeAll(async () => {
  library = await newLibrary();
});

it('creates, reads, changes and deletes a collection', async () => {
  const api = createApi(library.client);
  const { collection_id } = await api.createCollection({
    name: 'loans',
    properties: { by: { type: 'text', nullable: false } },
  });
  expect((await api.getCollection({ collection_id: 'loans' })).schema).toEqual({
    by: { type: 'text', nullable: false },
  });
  const changed = await api.updateCollection({ collection_id, description: 'Who has what' });
  expect(changed.description).toBe('Who has what');
  const late = api.updateCollection({ collection_id, description: '' }, { ifMatch: '"another"' });
  expect(await failureOf(late)).toBeInstanceOf(PreconditionFailedError);
  const { items } = await api.listCollections({ limit: 100, scope: 'all' });
  expect(items.map(({ name }) => name).sort()).toEqual(['books', 'loans']);
  expect(await api.deleteCollection({ collection_id })).toEqual({ deleted: true });
});

it('does a write once for each idempotency key', async () => {
  const api = createApi(library.client);
  const options = { idempotencyKey: `make-${library.collection.id}` };
  const [one, other] = [
    await api.createCollection({ name: 'once' }, options),
    await api.createCollection({ name: 'once' }, options),
  ];
  expect(other.collection_id).toBe(one.collection_id);
});

it('sends operations with an empty body, and those without a body', async () => {
  const api = createApi(library.client);
  const key = await api.createApiKey({
    collection_id: 'books',
    name: 'Reader',
    slug: `reader-${Date.now()}`,
  });
  const rotated = await api.rotateApiKey({ collection_id: 'books', key_id: key.id });
  expect(rotated.secret).not.toBe(key.secret);
  const { orgSlug } = await api.getCollection({ collection_id: 'books' });
  const account = await api.createServiceAccount({
    orgSlug,
    slug: 'importer',
    name: 'Importer',
    permissions: ['collections:read'],
  });
  const other = await api.rotateServiceAccount({ orgSlug, slug: 'importer' });
  expect(other.clientSecret).not.toBe(account.clientSecret);
});
