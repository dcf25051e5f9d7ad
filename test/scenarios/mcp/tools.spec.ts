import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newHome,
  newName,
  newTypedCollection,
  read,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { connect, dataIn, type McpClient, READING_TOOLS, VERSIONS } from './client.js';

let app: TestApp;
let home: Home;
let mcp: McpClient;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  mcp = await connect(app, home.owner);
});

const BOOKS = [
  { title: 'Emma', year: 1815, price: 12.5, tags: ['novel'], shelf: 'A' },
  { title: 'Persuasion', year: 1817, price: 9, tags: ['novel'], shelf: 'A' },
  { title: 'Walden', year: 1854, price: 7.25, tags: ['essay'], shelf: 'B' },
];

type Books = TestCollection & { readonly ids: string[] };

async function books(wanted: object = {}): Promise<Books> {
  const made = await newTypedCollection(app, home, wanted);
  return { ...made, ids: await insert(app, made, ...BOOKS) };
}

const titles = ({ records }: { records: { title: string }[] }) => records.map(({ title }) => title);

describe.each(VERSIONS)('a client of %s', version => {
  it('receives the server information, and tools return a text with the same content as their data', async () => {
    const { sdk, call } = await connect(app, home.owner, { version });
    expect(sdk.getNegotiatedProtocolVersion()).toBe(version);
    expect(sdk.getServerVersion()?.name).toBe('typed-collections');
    expect(sdk.getInstructions()).toContain('data_discover');
    const { id } = await books();
    const { data, text } = await call('data_query', { collection_id: id, sort: { year: -1 } });
    expect(titles(data)).toEqual(['Walden', 'Persuasion', 'Emma']);
    expect(dataIn(text).data).toEqual(data);
  });

  it('gets the same list of tools in the same order every time', async () => {
    const { sdk } = await connect(app, home.owner, { version });
    const { tools } = await sdk.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'data_discover',
      'data_create_collection',
      'data_update_schema',
      'data_insert',
      'data_query',
      'data_get',
      'data_update',
      'data_upsert',
      'data_delete',
      'data_history',
      'data_undo',
      'data_count',
      'data_distinct',
      'data_aggregate',
      'suggest_schema',
      'ask_collection',
    ]);
  });

  it('is refused with the error code of REST, and with a protocol error for a tool that does not exist', async () => {
    const { sdk, call } = await connect(app, home.owner, { version });
    const refusal = await call('data_query', { collection_id: randomUUID() });
    expect(refusal).toMatchObject({
      error: 'CollectionNotFound',
      message: expect.stringContaining('data_discover'),
    });
    expect(refusal.data).toBeUndefined();
    await expect(sdk.callTool({ name: 'data_drop', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('can read resources and prompts', async () => {
    const { sdk } = await connect(app, home.owner, { version });
    const { id } = await books();
    const { contents } = await sdk.readResource({ uri: `collection://${id}/schema` });
    expect(JSON.parse((contents[0] as { text: string }).text).schema.year.type).toBe('integer');
    const { prompts } = await sdk.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['explore_collection', 'import_csv']);
  });
});

describe('the list of tools', () => {
  it('has correct annotations', async () => {
    const { tools } = await mcp.sdk.listTools();
    const having = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(having('readOnlyHint')).toEqual([...READING_TOOLS, 'suggest_schema', 'ask_collection']);
    expect(having('destructiveHint')).toEqual(['data_update', 'data_upsert', 'data_delete', 'data_undo']);
    expect(tools.every(({ annotations }) => annotations?.openWorldHint === false)).toBe(true);
  });

  it('states how long and by whom it may be cached', async () => {
    expect(await mcp.sdk.listTools()).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  });

  it('uses the schemas of the REST bodies', async () => {
    const { tools } = await mcp.sdk.listTools();
    const { components } = (await app.request('GET', '/openapi.json')).body;
    const bodies = {
      data_create_collection: 'CreateCollectionBody',
      data_insert: 'InsertRecordsBody',
      data_query: 'SearchRecordsBody',
      data_upsert: 'UpsertRecordBody',
      data_aggregate: 'AggregateRecordsBody',
      suggest_schema: 'SuggestSchemaBody',
      ask_collection: 'AskCollectionBody',
    };
    for (const [name, body] of Object.entries(bodies)) {
      const { inputSchema, outputSchema } = tools.find(tool => tool.name === name)!;
      const own = Object.keys(inputSchema.properties!).filter(property => property !== 'collection_id');
      // A tool reads as its caller only.
      const sent = Object.keys(components.schemas[body].properties).filter(each => each !== 'view_as');
      expect(own.sort(), name).toEqual(sent.sort());
      expect(inputSchema.additionalProperties, name).toBe(false);
      expect(outputSchema?.type, name).toBe('object');
    }
  });
});

describe('data_discover', () => {
  it('lists the accessible collections, shared ones too, page by page', async () => {
    const own = await newHome(app);
    const { sdk: _, call } = await connect(app, own.owner);
    for (let n = 0; n < 3; n++) await newTypedCollection(app, own, { description: 'b'.repeat(300) });
    const { data } = await call('data_discover', { limit: 2 });
    expect(data).toMatchObject({ total: 3, truncated: true });
    expect(data.collections).toHaveLength(2);
    expect(data.collections[0].description).toBe('b'.repeat(200));
    expect((await call('data_discover', { limit: 2, page: 2 })).data).toMatchObject({ truncated: false });
  });

  it('shows columns, indexes, the number of records and five of them', async () => {
    const { id } = await books({ indexes: [{ properties: ['year'] }], name: newName() });
    await mcp.call('data_insert', { collection_id: id, records: [{}, {}, {}].map(() => ({ year: 1900 })) });
    const { data } = await mcp.call('data_discover', { collection_id: id });
    expect(data.collection).toMatchObject({
      collection_id: id,
      role: 'owner',
      schema: { title: { type: 'text', nullable: true } },
      indexes: [{ properties: ['year'] }],
    });
    expect(data.row_count).toBe(6);
    expect(data.samples).toHaveLength(5);
  });
});

describe('data_create_collection', () => {
  it('creates a collection as REST does, with its event', async () => {
    const name = newName();
    const { data } = await mcp.call('data_create_collection', {
      name,
      properties: { email: { type: 'text', nullable: false } },
    });
    expect(data).toMatchObject({ name, status: 'ready', schema_applied: true, owner_type: 'user' });
    const [event] = await eventsOf(app, { id: data.collection_id, orgId: home.org.id });
    expect(event).toMatchObject({ type: 'collections.created', actor: { via: 'mcp' } });
    expect((await mcp.call('data_create_collection', { name })).error).toBe('AlreadyExists');
  });

  it('returns the message of REST for an invalid body', async () => {
    const body = { name: 'no spaces please', colour: 'red' };
    const rest = await app.request('POST', '/v1/collections', { ...home.owner, body });
    expect(await mcp.call('data_create_collection', body)).toMatchObject({
      error: rest.body.error,
      message: rest.body.message,
    });
  });
});

describe('write tools', () => {
  it('insert all or nothing, and every write is one event with MCP as channel', async () => {
    const made = await books();
    const { data } = await mcp.call('data_insert', { collection_id: made.id, records: { title: 'Ruth' } });
    expect(data).toMatchObject({ inserted_count: 1, truncated: false });
    const wrong = { collection_id: made.id, records: [{ title: 'North' }, { year: 'soon' }] };
    expect(await mcp.call('data_insert', wrong)).toMatchObject({ error: 'InvalidArguments' });
    await mcp.call('data_update', { collection_id: made.id, record_id: data.ids[0], update: { year: 1853 } });
    await mcp.call('data_upsert', {
      collection_id: made.id,
      data: { title: 'Ruth', price: 3 },
      match_fields: ['title'],
    });
    await mcp.call('data_delete', { collection_id: made.id, record_id: data.ids[0] });
    const events = (await eventsOf(app, made)).slice(2);
    expect(events.map(({ type, actor }) => [type, actor.via])).toEqual([
      ['collections.records.inserted', 'mcp'],
      ['collections.records.updated', 'mcp'],
      ['collections.records.upserted', 'mcp'],
      ['collections.records.deleted', 'mcp'],
    ]);
    expect(titles(await search(app, made))).toEqual(['Emma', 'Persuasion', 'Walden']);
  });

  it('update one record by its id, or state that it does not exist', async () => {
    const made = await books();
    const args = { collection_id: made.id, update: { $inc: { year: 1 } } };
    const { data } = await mcp.call('data_update', { ...args, record_id: made.ids[0] });
    expect(data).toEqual({ matched_count: 1, updated_count: 1 });
    expect((await read(app, made, made.ids[0]!)).year).toBe(1816);
    expect((await mcp.call('data_update', { ...args, record_id: randomUUID() })).error).toBe(
      'RecordNotFound',
    );
  });

  it('update by filter only with a limit, which is enforced', async () => {
    const made = await books();
    const args = { collection_id: made.id, filter: { shelf: 'A' }, update: { shelf: 'C' } };
    const before = await written(app, made);
    const unbounded = await mcp.call('data_update', args);
    expect(unbounded).toMatchObject({ error: 'InvalidArguments' });
    expect(unbounded.message).toContain('max_affected');
    expect((await mcp.call('data_update', { ...args, max_affected: 1 })).error).toBe('InvalidArguments');
    expect((await mcp.call('data_update', { ...args, dry_run: true })).data).toEqual({
      matched_count: 2,
      updated_count: 2,
      dry_run: true,
    });
    expect(await written(app, made)).toEqual(before);
    expect((await mcp.call('data_update', { ...args, max_affected: 2 })).data.updated_count).toBe(2);
  });

  it('require either an id or a filter, not both', async () => {
    const made = await books();
    const both = { record_id: made.ids[0], filter: {}, max_affected: 1 };
    for (const tool of ['data_update', 'data_delete']) {
      const update = tool === 'data_update' ? { update: { year: 1 } } : {};
      for (const aim of [both, {}, { record_id: made.ids[0], dry_run: true }]) {
        const { error } = await mcp.call(tool, { collection_id: made.id, ...update, ...aim });
        expect([tool, aim, error]).toEqual([tool, aim, 'InvalidArguments']);
      }
    }
    expect(titles(await search(app, made))).toHaveLength(3);
  });

  it('have no arguments to delete by filter, and accept none, where the service disables that', async () => {
    const made = await books();
    const { tools } = await mcp.sdk.listTools();
    const tool = tools.find(({ name }) => name === 'data_delete');
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['collection_id', 'record_id']);
    expect(tool?.inputSchema.required).toEqual(['collection_id', 'record_id']);
    expect(tool?.description).not.toContain('dry_run');
    const aim = { collection_id: made.id, filter: { shelf: 'A' } };
    for (const more of [{ dry_run: true }, { max_affected: 1 }]) {
      const { error, message } = await mcp.call('data_delete', { ...aim, ...more });
      expect(error).toBe('InvalidArguments');
      expect(message).toContain('filter: is not a known property');
    }
    expect(titles(await search(app, made))).toHaveLength(3);
    const one = { collection_id: made.id, record_id: made.ids[0] };
    expect((await mcp.call('data_delete', one)).data).toEqual({ deleted_count: 1 });
  });
});

describe('data_update_schema', () => {
  it('shows the changes in a dry run, and then applies them, with their event', async () => {
    const made = await books();
    const wanted = { collection_id: made.name, properties: { shelf: { type: 'text' } } };
    const rehearsed = await mcp.call('data_update_schema', { ...wanted, dry_run: true });
    expect(rehearsed.data).toMatchObject({ dry_run: true, affected_count: 3 });
    expect(rehearsed.data.changes).toEqual([
      { column: 'shelf', before: null, after: { type: 'text', nullable: true } },
    ]);
    expect((await eventsOf(app, made)).map(({ type }) => type)).not.toContain('collections.schema.updated');
    const { data } = await mcp.call('data_update_schema', wanted);
    expect(data.collection_id).toBe(made.id);
    expect(data.schema.shelf).toEqual({ type: 'text', nullable: true });
    const event = (await eventsOf(app, made)).at(-1);
    expect(event).toMatchObject({ type: 'collections.schema.updated', actor: { via: 'mcp' } });
    expect(
      (await mcp.call('data_count', { collection_id: made.id, filter: { shelf: 'A' } })).data.count,
    ).toBe(2);
  });

  it('refuses a change that would lose a value, and changes nothing', async () => {
    const made = await books();
    const properties = { title: { type: 'integer' } };
    const { error } = await mcp.call('data_update_schema', { collection_id: made.id, properties });
    expect(error).toBe('InvalidArguments');
    const { data } = await mcp.call('data_discover', { collection_id: made.id });
    expect(data.collection.schema.title.type).toBe('text');
  });
});

describe('the name of a collection as collection_id', () => {
  it('is accepted by every tool with that argument', async () => {
    const made = await books();
    const { tools } = await mcp.sdk.listTools();
    const args: Record<string, object> = {
      data_update_schema: { properties: {}, dry_run: true },
      data_insert: { records: { title: 'Ruth' } },
      data_get: { record_id: made.ids[0] },
      data_history: { record_id: made.ids[0] },
      data_undo: { actor: { type: 'user', id: randomUUID() }, since: '2026-01-01T00:00:00Z', dry_run: true },
      data_update: { record_id: made.ids[0], update: { year: 1816 } },
      data_upsert: { data: { title: 'Ruth' }, match_fields: ['title'] },
      data_delete: { record_id: made.ids[2] },
      data_distinct: { field: 'title' },
      data_aggregate: { steps: [{ type: 'count', output_field: 'n' }] },
      ask_collection: { question: 'How many books are there?' },
    };
    const ofCollections = tools.filter(
      ({ inputSchema }) => 'collection_id' in (inputSchema.properties ?? {}),
    );
    expect(ofCollections.length).toBeGreaterThan(10);
    for (const { name } of ofCollections) {
      const { error, message } = await mcp.call(name, { collection_id: made.name, ...args[name] });
      expect([name, error, message]).toEqual([name, undefined, undefined]);
    }
    const { error } = await mcp.call('data_count', { collection_id: newName() });
    expect(error).toBe('CollectionNotFound');
  });
});

describe('an empty answer', () => {
  let made: Books;
  beforeAll(async () => {
    made = await books();
  });
  const hints = async (tool: string, args: object) => {
    const { data, text } = await mcp.call(tool, { collection_id: made.id, ...args });
    expect(dataIn(text).data).toEqual(data);
    return data.hints;
  };

  it.each<[string, object, string]>([
    ['data_query', { filter: { titel: 'Emma' } }, 'Did you mean "title"?'],
    ['data_query', { filter: { shelff: 'A' } }, 'Did you mean "shelf"?'],
    ['data_count', { filter: { price: { gt: 3 } } }, 'Operators begin with $'],
    ['data_count', { filter: { price: 'ten' } }, 'column of type double'],
    ['data_distinct', { field: 'titel' }, 'Did you mean "title"?'],
    ['data_aggregate', { steps: [{ type: 'sum', input_field: 'prise', output_field: 'n' }] }, '"price"'],
    ['data_update', { filter: { titel: 'x' }, update: { year: 1 }, max_affected: 1 }, '"title"'],
  ])('of %s for %j states a possible cause', async (tool, args, hint) => {
    expect(await hints(tool, args)).toEqual([expect.stringContaining(hint)]);
  });

  it.each<[string, object]>([
    ['data_query', { filter: { title: 'Nobody wrote this' } }],
    ['data_query', { filter: { shelf: 'Z' } }],
    ['data_count', { filter: { price: { $gt: 1_000 } } }],
    ['data_count', { filter: { title: 'Emma' } }],
    ['data_query', {}],
    [
      'data_aggregate',
      { steps: [{ type: 'sum', input_field: 'price', output_field: 'n' }], filter: { year: 1 } },
    ],
  ])('of %s for %j has no hint if nothing is wrong', async (tool, args) => {
    expect(await hints(tool, args)).toBeUndefined();
  });
});

describe('a refusal', () => {
  const message = async (tool: string, args: object) => (await mcp.call(tool, { ...args })).message;

  it('states how to correct the arguments', async () => {
    const { id } = await books();
    expect(await message('data_query', {})).toMatch(/^collection_id: is required/);
    expect(await message('data_insert', { collection_id: id, data: {} })).toMatch(
      /^records: is required; data: is not a known property/,
    );
    expect(await message('data_aggregate', { collection_id: id, pipeline: [] })).toContain(
      'steps: is required',
    );
    expect(await message('data_query', { collection_id: id, filter: { year: { $gtt: 1 } } })).toMatch(
      /unknown operator \$gtt \(did you mean \$gte?\?\); the operators are \$and/,
    );
    expect(await message('data_query', { collection_id: 'nothing' })).toContain('data_discover lists');
  });
});

describe('read tools', () => {
  let made: Books;
  beforeAll(async () => {
    made = await books();
  });
  const call = (tool: string, args: object) => mcp.call(tool, { collection_id: made.id, ...args });

  it('get one record', async () => {
    const { data } = await call('data_get', { record_id: made.ids[1] });
    expect(data).toMatchObject({ found: true, record: { title: 'Persuasion' }, truncated: false });
    expect((await call('data_get', { record_id: 'none' })).error).toBe('RecordNotFound');
  });

  it('query as POST …/data/query does, and continue with the cursor', async () => {
    const query = { filter: { year: { $gt: 1800 } }, sort: { price: 1 }, fields: ['title'], limit: 2 };
    const first = (await call('data_query', { ...query, with_total: true })).data;
    expect(first).toMatchObject({ count: 2, total: 3, truncated: true });
    expect(Object.keys(first.records[0])).toEqual(['_id', 'title']);
    const rest = (await call('data_query', { ...query, cursor: first.next_cursor })).data;
    expect(rest).toMatchObject({ count: 1, truncated: false, next_cursor: null });
    expect([...titles(first), ...titles(rest)]).toEqual(['Walden', 'Persuasion', 'Emma']);
    expect(titles((await call('data_query', { ...query, page: 2 })).data)).toEqual(['Emma']);
  });

  it('refuse the same as REST', async () => {
    const refusals = [
      { filter: { $where: '1' } },
      { filter: { year: { $near: 1 } } },
      { limit: 101 },
      { page: 1, cursor: '' },
      { sort: { year: 2 } },
      { colour: 'red' },
    ];
    for (const body of refusals) {
      const rest = await app.request('POST', `${made.data}/query`, { ...home.owner, body });
      expect(rest.status).toBe(400);
      expect(await call('data_query', body)).toMatchObject({
        error: rest.body.error,
        message: rest.body.message,
      });
    }
  });

  it('count, and list distinct values', async () => {
    expect((await call('data_count', {})).data).toEqual({ count: 3 });
    expect((await call('data_count', { filter: { shelf: 'A' } })).data).toEqual({ count: 2 });
    expect((await call('data_distinct', { field: 'tags' })).data).toEqual({
      field: 'tags',
      count: 2,
      values: ['essay', 'novel'],
      truncated: false,
      next_offset: null,
    });
  });

  it('aggregate', async () => {
    const steps = [{ type: 'avg', input_field: 'price', output_field: 'mean' }];
    const { data } = await call('data_aggregate', { steps, group_by: 'shelf' });
    expect(data).toEqual({
      results: [
        { shelf: 'A', mean: 10.75 },
        { shelf: 'B', mean: 7.25 },
      ],
      truncated: false,
    });
    expect((await call('data_aggregate', { steps: [{ type: 'median' }] })).error).toBe('InvalidArguments');
  });

  it('answer questions and suggest schemas as REST does', async () => {
    const question = 'How many records are there?';
    const rest = await app.request('POST', `${made.path}/ask`, { ...home.owner, body: { question } });
    expect((await call('ask_collection', { question })).data).toEqual({ ...rest.body, truncated: false });
    const description = 'Customers with name, email and signup date';
    const suggested = await app.request('POST', '/v1/suggest-schema', {
      ...home.owner,
      body: { description },
    });
    expect((await mcp.call('suggest_schema', { description })).data).toEqual(suggested.body);
  });
});

describe('resources', () => {
  it('are a schema and a sample of each accessible collection', async () => {
    const own = await newHome(app);
    const made = await newTypedCollection(app, own);
    await insert(app, made, ...BOOKS);
    const { sdk } = await connect(app, own.owner);
    const { resources } = await sdk.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      `collection://${made.id}/schema`,
      `collection://${made.id}/sample`,
    ]);
    const { resourceTemplates } = await sdk.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'collection://{id}/schema',
      'collection://{id}/sample',
    ]);
    const { contents } = await sdk.readResource({ uri: `collection://${made.id}/sample` });
    const { data } = dataIn(`\n${(contents[0] as { text: string }).text.split('\n').slice(1).join('\n')}`);
    expect(titles(data as { records: { title: string }[] })).toEqual(['Emma', 'Persuasion', 'Walden']);
  });

  it('are listed page by page', async () => {
    const own = await newHome(app);
    for (let n = 0; n < 51; n++) await newTypedCollection(app, own);
    const { sdk } = await connect(app, own.owner, { version: '2025-06-18' });
    const first = await sdk.request({ method: 'resources/list', params: {} });
    expect(first.resources).toHaveLength(100);
    const second = await sdk.request({ method: 'resources/list', params: { cursor: first.nextCursor! } });
    expect([second.resources.length, second.nextCursor]).toEqual([2, undefined]);
    const odd = sdk.request({ method: 'resources/list', params: { cursor: '0' } });
    await expect(odd).rejects.toMatchObject({ code: -32602 });
  });
});

describe('prompts', () => {
  it('are filled in, with the arguments delimited as data', async () => {
    const { messages } = await mcp.sdk.getPrompt({ name: 'import_csv', arguments: { csv: 'a,b\n1,2' } });
    const { text } = messages[0]!.content as { text: string };
    expect(text).toContain('data_create_collection');
    expect(dataIn(text).data).toEqual({ csv: 'a,b\n1,2' });
    const explored = await mcp.sdk.getPrompt({
      name: 'explore_collection',
      arguments: { collection_id: 'c' },
    });
    expect((explored.messages[0]!.content as { text: string }).text).toContain('data_discover');
  });

  it('refuse a missing argument and an unknown name with a protocol error', async () => {
    for (const name of ['explore_collection', 'drop_all']) {
      await expect(mcp.sdk.getPrompt({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
    }
  });
});
