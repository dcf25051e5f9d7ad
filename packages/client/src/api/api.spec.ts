import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ApiRequest, Transport } from '../transport/transport.js';
import { createApi, type Schemas } from './index.js';

/** A transport that keeps the requests, and an API that uses it. */
function recorded() {
  const sent: ApiRequest[] = [];
  const transport = {
    request: async (request: ApiRequest) => {
      sent.push(request);
      return 'answer';
    },
  } as unknown as Transport;
  return { api: createApi({ transport }), sent };
}

describe('a call of an operation', () => {
  it('puts its input into the path and the query', async () => {
    const { api, sent } = recorded();
    expect(await api.members.listOrgMembers({ orgSlug: 'a/b', limit: 5 })).toBe('answer');
    expect(sent).toMatchObject([{ method: 'GET', path: '/v2/orgs/a%2Fb/members', query: { limit: 5 } }]);
    expect(sent[0]?.body).toBeUndefined();
  });

  it('puts its input into the path and the body', async () => {
    const { api, sent } = recorded();
    await api.sharing.grantAccess({
      collection_id: 'books',
      principal_type: 'org',
      principal_id: 'acme',
      role: 'reader',
    });
    expect(sent).toMatchObject([
      {
        method: 'POST',
        path: '/v1/collections/books/access',
        body: { principal_type: 'org', principal_id: 'acme', role: 'reader' },
      },
    ]);
    expect(sent[0]?.query).toBeUndefined();
  });

  it('sends an empty body if it gives no field of the body, and none if the operation takes none', async () => {
    const { api, sent } = recorded();
    await api.apiKeys.rotateApiKey({ collection_id: 'books', key_id: 'k' });
    await api.webhooks.testWebhook({ collection_id: 'books', webhook_id: 'w' });
    await api.authentication.logout();
    expect(sent.map(({ body }) => body)).toEqual([{}, undefined, undefined]);
  });

  it('makes an idempotency key only for an operation that the service does once for each key', async () => {
    const { api, sent } = recorded();
    await api.collections.createCollection({ name: 'books' });
    await api.collections.createCollection({ name: 'books' }, { idempotencyKey: 'mine' });
    await api.organizations.createOrg({ slug: 'acme', name: 'Acme' });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([true, 'mine', undefined]);
  });

  it('passes on the signal and the entity tag', async () => {
    const { api, sent } = recorded();
    const { signal } = new AbortController();
    await api.collections.updateCollection(
      { collection_id: 'books', name: 'novels' },
      { signal, ifMatch: '"7"' },
    );
    expect(sent).toMatchObject([{ signal, ifMatch: '"7"' }]);
  });

  it.each(['', '.', '..', undefined])('refuses %j as a part of the path', async orgSlug => {
    const { api, sent } = recorded();
    await expect(api.organizations.getOrg({ orgSlug: orgSlug as string })).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('leaves the input as it is', async () => {
    const input = { orgSlug: 'acme' };
    await recorded().api.organizations.getOrg(input);
    expect(input).toEqual({ orgSlug: 'acme' });
  });
});

// The compiler judges this test (`npm run types`); Vitest only runs it.
it('has types for input, options and result', () => {
  const check = async () => {
    const { api } = recorded();
    expectTypeOf(await api.organizations.getOrg({ orgSlug: 'acme' })).toEqualTypeOf<Schemas['OrgView']>();
    expectTypeOf(await api.authentication.logout()).toEqualTypeOf<undefined>();
    expectTypeOf(await api.organizations.listOrgs()).toEqualTypeOf<Schemas['OrgListView']>();
    // @ts-expect-error a parameter of the path is missing
    api.organizations.getOrg();
    // @ts-expect-error a field of the body is missing
    api.organizations.createOrg({ slug: 'acme' });
    // @ts-expect-error an unknown field
    api.organizations.getOrg({ orgSlug: 'acme', page: 1 });
    // @ts-expect-error the service does it more than once for a key
    api.organizations.createOrg({ slug: 'acme', name: 'Acme' }, { idempotencyKey: 'x' });
    // @ts-expect-error it looks at no entity tag
    api.collections.createCollection({ name: 'books' }, { ifMatch: 'x' });
    // @ts-expect-error records have methods of their own
    api.records.insertRecords({});
    // @ts-expect-error it takes no input
    api.authentication.getMe({ any: 1 });
  };
  expect(check).toBeTypeOf('function');
});
