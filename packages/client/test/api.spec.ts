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
  const { collection_id } = await api.collections.createCollection({
    name: 'loans',
    properties: { by: { type: 'text', nullable: false } },
  });
  expect((await api.collections.getCollection({ collection_id: 'loans' })).schema).toEqual({
    by: { type: 'text', nullable: false },
  });
  const changed = await api.collections.updateCollection({ collection_id, description: 'Who has what' });
  expect(changed.description).toBe('Who has what');
  const late = api.collections.updateCollection({ collection_id, description: '' }, { ifMatch: '"another"' });
  expect(await failureOf(late)).toBeInstanceOf(PreconditionFailedError);
  const { items } = await api.collections.listCollections({ limit: 100, scope: 'all' });
  expect(items.map(({ name }) => name).sort()).toEqual(['books', 'loans']);
  expect(await api.collections.deleteCollection({ collection_id })).toMatchObject({ deleted: true });
});

it('does a write once for each idempotency key', async () => {
  const api = createApi(library.client);
  const options = { idempotencyKey: `make-${library.collection.id}` };
  const [one, other] = [
    await api.collections.createCollection({ name: 'once' }, options),
    await api.collections.createCollection({ name: 'once' }, options),
  ];
  expect(other.collection_id).toBe(one.collection_id);
});

it('sends operations with an empty body, and those without a body', async () => {
  const api = createApi(library.client);
  const key = await api.apiKeys.createApiKey({
    collection_id: 'books',
    name: 'Reader',
    slug: `reader-${Date.now()}`,
  });
  const rotated = await api.apiKeys.rotateApiKey({ collection_id: 'books', key_id: key.id });
  expect(rotated.secret).not.toBe(key.secret);
  const { orgSlug } = await api.collections.getCollection({ collection_id: 'books' });
  const account = await api.serviceAccounts.createServiceAccount({
    orgSlug,
    slug: 'importer',
    name: 'Importer',
    permissions: ['collections:read'],
  });
  const other = await api.serviceAccounts.rotateServiceAccount({ orgSlug, slug: 'importer' });
  expect(other.clientSecret).not.toBe(account.clientSecret);
});
