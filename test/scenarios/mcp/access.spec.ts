import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { person } from '../auth/person.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';
import { connect, type McpClient, READING_TOOLS, send } from './client.js';

let app: TestApp;
let home: Home;
let books: TestCollection;
let ids: string[];
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  books = await newTypedCollection(app, home);
  ids = await insert(app, books, { title: 'Emma', year: 1815 });
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

async function toolsOf({ sdk }: McpClient): Promise<string[]> {
  return (await sdk.listTools()).tools.map(({ name }) => name);
}

async function orgKey(...permissions: string[]): Promise<Caller> {
  return { key: (await newKey(app, home.org, { permissions })).apiKey };
}

async function collectionKey(...permissions: string[]): Promise<Caller> {
  const body = { slug: newSlug(), name: 'Key', permissions };
  return { key: (await app.request('POST', `${books.path}/api-keys`, { ...books.owner, body })).body.secret };
}

/** Every tool that writes, with valid arguments. */
const WRITES: [string, object][] = [
  ['data_insert', { records: { title: 'Ruth' } }],
  ['data_update', { filter: {}, update: { year: 1 }, max_affected: 9, allow_match_all: true }],
  ['data_upsert', { data: { title: 'Ruth' }, match_fields: ['title'] }],
  ['data_delete', { record_id: randomUUID() }],
  ['data_undo', { correlation_id: 'x', dry_run: true }],
];

describe('a credential with read access only', () => {
  it.each([
    ['key of the organization', () => orgKey('collections:read'), [...READING_TOOLS, 'suggest_schema']],
    ['key of the collection', () => collectionKey('collections:read'), READING_TOOLS],
  ])('of the kind "%s" sees and may call the tools that read', async (_, credential, seen) => {
    const mcp = await connect(app, await credential());
    expect(await toolsOf(mcp)).toEqual([...seen, 'ask_collection']);
    expect((await mcp.call('data_query', { collection_id: books.id })).data.count).toBe(1);
    for (const [tool, args] of WRITES) {
      const { error, message } = await mcp.call(tool, { collection_id: books.id, ...args });
      const refusal = [tool, 'Forbidden', 'This needs the permission collections:write.'];
      expect([tool, error, message]).toEqual(refusal);
      // Rights are checked before arguments: errors in these are reported only to callers with write access.
      for (const malformed of [
        { collection_id: books.id, records: 7, made_up: true },
        { collection_id: 7 },
        {},
      ]) {
        const refused = await mcp.call(tool, malformed);
        expect([tool, refused.error, refused.message]).toEqual(refusal);
      }
    }
    expect((await mcp.call('data_create_collection', { name: 'mine' })).error).toBe('Forbidden');
    expect((await mcp.call('data_create_collection', { name: 7 })).error).toBe('Forbidden');
    expect((await search(app, books)).records).toHaveLength(1);
  });

  it('is refused for the missing right before its arguments are validated', async () => {
    const mcp = await connect(app, await orgKey('collections:read'));
    for (const [tool] of [...WRITES, ['data_update_schema'] as const]) {
      for (const args of [{ collection_id: books.id, bad: 1 }, { bad: 1 }, { collection_id: 7 }]) {
        expect([tool, args, (await mcp.call(tool, args)).error]).toEqual([tool, args, 'Forbidden']);
      }
      const nowhere = { collection_id: randomUUID(), bad: 1 };
      expect([tool, (await mcp.call(tool, nowhere)).error]).toEqual([tool, 'CollectionNotFound']);
    }
    expect((await mcp.call('data_create_collection', { bad: 1 })).error).toBe('Forbidden');
  });

  it('writes where it may only write, and reads nothing', async () => {
    const made = await newTypedCollection(app, home);
    const mcp = await connect(app, await orgKey('collections:write'));
    expect(await toolsOf(mcp)).toEqual([
      'data_insert',
      'data_update',
      'data_upsert',
      'data_delete',
      'data_undo',
    ]);
    const insertion = { collection_id: made.id, records: { title: 'Ruth' } };
    expect((await mcp.call('data_insert', insertion)).data.inserted_count).toBe(1);
    expect((await mcp.call('data_query', { collection_id: made.id })).error).toBe('Forbidden');
    expect((await mcp.call('data_discover')).error).toBe('Forbidden');
    expect((await mcp.sdk.listResources()).resources).toEqual([]);
  });

  it("gets the role's refusal as reader of a collection, and sees reading tools at the collection's endpoint", async () => {
    const member = await newMember(app, home.org);
    const body = { principal_type: 'user', principal_id: member.userId, role: 'reader' };
    await app.request('POST', `${books.path}/access`, { ...books.owner, body });
    const everywhere = await connect(app, member);
    expect(await toolsOf(everywhere)).toContain('data_insert');
    const refusal = await everywhere.call('data_insert', { collection_id: books.id, records: {} });
    expect(refusal.message).toBe('This needs the role editor on the collection.');
    const scoped = await connect(app, member, { path: `${books.path}/mcp` });
    expect(await toolsOf(scoped)).toEqual([...READING_TOOLS, 'ask_collection']);
  });
});

describe('the endpoint of one collection', () => {
  it('has the tools for it, which need no collection_id', async () => {
    const mcp = await connect(app, home.owner, { path: `${books.path}/mcp` });
    const { tools } = await mcp.sdk.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('data_create_collection');
    expect(tools).toHaveLength(14);
    for (const { name, inputSchema } of tools) {
      expect([name, Object.keys(inputSchema.properties ?? {})]).not.toContain('collection_id');
      expect([name, inputSchema.required]).not.toContain('collection_id');
    }
    expect((await mcp.call('data_get', { record_id: ids[0] })).data.record.title).toBe('Emma');
    expect((await mcp.call('data_discover')).data.collection.collection_id).toBe(books.id);
    const { prompts } = await mcp.sdk.listPrompts();
    expect(prompts[0]?.arguments?.map(({ name }) => name)).toEqual(['goal']);
    const { messages } = await mcp.sdk.getPrompt({ name: 'explore_collection', arguments: {} });
    expect((messages[0]!.content as { text: string }).text).toContain(books.id);
    const imported = await mcp.sdk.getPrompt({ name: 'import_csv', arguments: { csv: 'a\n1' } });
    expect((imported.messages[0]!.content as { text: string }).text).not.toContain('data_create_collection');
  });

  it('has no access to other collections, and creates none', async () => {
    const other = await newTypedCollection(app, home);
    await insert(app, other, { title: 'Other' });
    const mcp = await connect(app, home.owner, { path: `${books.path}/mcp` });
    for (const tool of ['data_query', 'data_count', 'data_discover']) {
      expect((await mcp.call(tool, { collection_id: other.id })).error).toBe('InvalidArguments');
    }
    await expect(mcp.sdk.readResource({ uri: `collection://${other.id}/sample` })).rejects.toThrow();
    const { resources } = await mcp.sdk.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      `collection://${books.id}/schema`,
      `collection://${books.id}/sample`,
    ]);
    const create = mcp.sdk.callTool({ name: 'data_create_collection', arguments: { name: 'x' } });
    await expect(create).rejects.toMatchObject({ code: -32602 });
  });

  it('is 404 for callers without access to the collection, as if it did not exist', async () => {
    const stranger = await newHome(app);
    const unknown = await send(app, stranger.owner, LIST, { path: `/v1/collections/${randomUUID()}/mcp` });
    const invisible = await send(app, stranger.owner, LIST, { path: `${books.path}/mcp` });
    const malformed = await send(app, stranger.owner, LIST, { path: '/v1/collections/none/mcp' });
    expect(unknown.status).toBe(404);
    for (const answer of [invisible, malformed]) {
      expect([answer.status, answer.body]).toEqual([404, unknown.body]);
    }
  });

  it('requires read access', async () => {
    const { status, body } = await send(app, await orgKey('collections:write'), LIST, {
      path: `${books.path}/mcp`,
    });
    expect([status, body.error]).toEqual([403, 'Forbidden']);
  });
});

describe('a collection without access for the caller', () => {
  it('looks to every tool and resource as if it did not exist', async () => {
    const stranger = await connect(app, (await newHome(app)).owner);
    const calls: [string, object][] = [
      ...WRITES,
      ['data_discover', {}],
      ['data_query', {}],
      ['data_get', { record_id: ids[0] }],
      ['data_count', {}],
      ['data_distinct', { field: 'title' }],
      ['data_aggregate', { steps: [{ type: 'count', output_field: 'n' }] }],
      ['ask_collection', { question: 'How many?' }],
    ];
    for (const [tool, args] of calls) {
      const invisible = await stranger.call(tool, { collection_id: books.id, ...args });
      const unknown = await stranger.call(tool, { collection_id: randomUUID(), ...args });
      expect(invisible).toEqual(unknown);
      expect([tool, invisible.error]).toEqual([tool, 'CollectionNotFound']);
    }
    for (const part of ['schema', 'sample']) {
      const of = (id: string) =>
        stranger.sdk.readResource({ uri: `collection://${id}/${part}` }).catch(({ code, message }) => ({
          code,
          message: message.replace(id, ''),
        }));
      expect(await of(books.id)).toEqual(await of(randomUUID()));
      expect(await of(books.id)).toMatchObject({ code: -32602 });
    }
    expect((await stranger.call('data_discover')).data.total).toBe(0);
  });

  it('is not available to a key of another collection', async () => {
    const other = await newTypedCollection(app, home);
    const mcp = await connect(app, await collectionKey('collections:*'));
    expect((await mcp.call('data_query', { collection_id: other.id })).error).toBe('CollectionNotFound');
    const { data } = await mcp.call('data_discover');
    expect(data.collections.map((each: { collection_id: string }) => each.collection_id)).toEqual([books.id]);
  });
});

describe('a caller who is refused', () => {
  it('gets with the 401 the way to sign in', async () => {
    for (const path of ['/v1/mcp', `${books.path}/mcp`]) {
      const { status, body, headers } = await send(app, {}, LIST, { path });
      expect([status, body.error]).toEqual([401, 'Unauthorized']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect((await send(app, { key: 'iak_made_up' }, LIST, { path })).status).toBe(401);
    }
  });

  it('is told of a missing organization before the message is read', async () => {
    const { token } = await person(app);
    const { status, body } = await send(app, { token }, 'no json');
    expect([status, body.error]).toEqual([403, 'OrganizationMembershipRequired']);
  });

  it('may be a page of another site', async () => {
    const evil = await send(app, home.owner, LIST, { headers: { origin: 'https://evil.example' } });
    expect([evil.status, evil.body.error]).toEqual([403, 'Forbidden']);
    expect((await send(app, home.owner, LIST, { headers: { origin: 'null' } })).status).toBe(403);
    expect((await send(app, home.owner, LIST, { headers: { origin: app.url } })).status).toBe(200);
  });
});
