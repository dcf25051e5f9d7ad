import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { EVERY_TYPE, eventsOf, type Home, newHome, newName, outcome } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';

describe('POST /v1/collections', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const create = (body: unknown, caller = home.owner) =>
    app.request('POST', '/v1/collections', { ...caller, body });
  const countOf = async () => {
    const schema = schemaOf(home.org.id);
    const [{ collections }] = await app.sql(
      'SELECT count(*)::int AS collections FROM collections WHERE org_id = $1',
      [home.org.id],
    );
    const [{ events }] = await app.sql(`SELECT count(*)::int AS events FROM ${schema}.audit_events`);
    const [{ tables }] = await app.sql(
      'SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = $1',
      [schema],
    );
    return [collections, events, tables];
  };

  it('returns 200 with the id, the owner and whether a schema was applied', async () => {
    const name = newName();
    const { status, body } = await create({ name });
    expect(status).toBe(200);
    expect(body).toEqual({
      collection_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      owner_id: home.org.owner.userId,
      owner_type: 'user',
      status: 'ready',
      schema_applied: false,
    });
  });

  it('shares with agents only for callers who may share', async () => {
    const agent = await app.request('POST', `${home.org.path}/agents`, {
      ...home.owner,
      body: { slug: newSlug(), name: 'Agent' },
    });
    const body = { name: newName(), agent_ids: [agent.body.id] };
    const { apiKey: key } = await newKey(app, home.org, { permissions: ['collections:create'] });
    expect(outcome(await app.request('POST', '/v1/collections', { key, body }))).toEqual([403, 'Forbidden']);
    expect(
      (await app.request('POST', '/v1/collections', { key, body: { ...body, agent_ids: [] } })).status,
    ).toBe(200);
  });

  it('stores schema, indexes, uniques and settings as declared, and lists them in one event', async () => {
    const name = newName();
    const created = await create({
      name,
      description: 'What we read',
      settings: { ttl_days: 30, max_records: 500 },
      properties: { ...EVERY_TYPE, isbn: { type: 'text', nullable: false } },
      indexes: [{ properties: ['year', 'title'] }, { properties: ['tags'] }],
      uniques: [{ properties: ['isbn'] }],
    });
    expect(created.body.schema_applied).toBe(true);
    const id = created.body.collection_id;
    const { body } = await app.request('GET', `/v1/collections/${id}`, home.owner);
    const columns = Object.entries({ ...EVERY_TYPE, isbn: { type: 'text', nullable: false } });
    expect(body).toMatchObject({
      name,
      description: 'What we read',
      settings: { ttl_days: 30, max_records: 500 },
      schema: Object.fromEntries(columns.map(([column, type]) => [column, { nullable: true, ...type }])),
      indexes: [{ properties: ['year', 'title'] }, { properties: ['tags'] }],
      uniques: [{ properties: ['isbn'] }],
    });
    expect(Object.keys(body.schema)).toEqual(columns.map(([column]) => column));
    const events = await eventsOf(app, { id, orgId: home.org.id });
    expect(events).toEqual([
      {
        type: 'collections.created',
        actor: { type: 'user', id: home.org.owner.userId, via: 'rest' },
        target: { type: 'collection', id, name },
        count: null,
        record_ids: null,
        changes: { after: expect.objectContaining({ name }) },
        correlation_id: created.headers.get('x-correlation-id'),
      },
    ]);
  });

  it('accepts 500 columns, and 32 indexes of 16 columns', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `column_${index}`);
    const indexes = Array.from({ length: 32 }, (_, index) => ({
      properties: names.slice(index, index + 16),
    }));
    const properties = Object.fromEntries(names.map(name => [name, { type: 'integer' }]));
    const { status, body } = await create({ name: newName(), properties, indexes });
    expect(status).toBe(200);
    const data = `/v1/collections/${body.collection_id}/data`;
    const record = Object.fromEntries(names.map((name, index) => [name, index]));
    const inserted = await app.request('POST', data, { ...home.owner, body: { records: [record] } });
    expect(inserted.status).toBe(200);
    const found = await app.request('GET', `${data}/${inserted.body.ids[0]}`, home.owner);
    expect(found.body.record).toMatchObject(record);
  });

  it.each(['a', 'A_b-9', 'x'.repeat(64), '__', '0'])('accepts the name %j', async name => {
    expect(outcome(await create({ name }))).toEqual([200, undefined]);
  });

  it('refuses a name that another collection of the owner has, whatever else is in the body', async () => {
    const name = newName();
    await create({ name });
    const before = await countOf();
    expect(outcome(await create({ name, properties: EVERY_TYPE }))).toEqual([409, 'AlreadyExists']);
    expect(await countOf()).toEqual(before);
  });

  it('lets two owners of one organization use the same name', async () => {
    const name = newName();
    const member = await newMember(app, home.org);
    expect((await create({ name })).status).toBe(200);
    expect((await create({ name }, { token: member.token })).body.owner_id).toBe(member.userId);
  });

  it('lets exactly one of two equal concurrent creations succeed', async () => {
    const name = newName();
    const answers = await Promise.all([create({ name }), create({ name }), create({ name })]);
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409, 409]);
  });

  const columns = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, { type: 'integer' }]));

  it.each<[string, object, string]>([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, 'name'],
    ['a space in the name', { name: 'my books' }, 'name'],
    ['a name in another script', { name: 'bücher' }, 'name'],
    ['a newline at the end of the name', { name: 'books\n' }, 'name'],
    ['a number as name', { name: 7 }, 'name'],
    ['null as name', { name: null }, 'name'],
    ['SQL as name', { name: "x'; DROP TABLE collections; --" }, 'name'],
    ['a number as description', { description: 7 }, 'description'],
    ['NUL in the description', { description: 'a\0b' }, 'description'],
    ['a lone surrogate in the description', { description: '\ud800' }, 'description'],
    ['an unknown property', { schema: {} }, 'schema'],
    ['settings that are not an object', { settings: 7 }, 'settings'],
    ['settings that are text', { settings: 'x' }, 'settings'],
    ['settings that are null', { settings: null }, 'settings'],
    ['settings that are an empty list', { settings: [] }, 'settings'],
    ['settings that are a list', { settings: [{ max_records: 5 }] }, 'settings'],
    ['an unknown setting', { settings: { max: 5 } }, 'settings.max'],
    ['a negative ttl_days', { settings: { ttl_days: -1 } }, 'ttl_days'],
    ['a fraction of a day', { settings: { ttl_days: 0.5 } }, 'ttl_days'],
    ['ttl_days as text', { settings: { ttl_days: '1' } }, 'ttl_days'],
    ['max_records 0', { settings: { max_records: 0 } }, 'max_records'],
    ['max_records beyond the service limit', { settings: { max_records: 10_000_001 } }, 'max_records'],
    ['max_records beyond integers', { settings: { max_records: 1e300 } }, 'max_records'],
    ['properties that are a list', { properties: [] }, 'properties'],
    ['properties that are text', { properties: 'title' }, 'properties'],
    ['properties that are null', { properties: null }, 'properties'],
    ['a column that is text', { properties: { a: 'text' } }, 'properties.a'],
    ['a column without type', { properties: { a: {} } }, 'properties.a.type'],
    ['an unknown type', { properties: { a: { type: 'varchar' } } }, 'properties.a.type'],
    ['a type from the prototype', { properties: { a: { type: 'constructor' } } }, 'properties.a.type'],
    ['SQL as type', { properties: { a: { type: 'text; DROP TABLE users' } } }, 'properties.a.type'],
    ['nullable as text', { properties: { a: { type: 'text', nullable: 'no' } } }, 'properties.a.nullable'],
    [
      'an unknown attribute of a column',
      { properties: { a: { type: 'text', size: 3 } } },
      'properties.a.size',
    ],
    ['an empty column name', { properties: { '': { type: 'text' } } }, 'properties'],
    ['a column name with a dot', { properties: { 'a.b': { type: 'text' } } }, 'a.b'],
    ['a column name beginning with a digit', { properties: { '1a': { type: 'text' } } }, '1a'],
    ['a column name with a quote', { properties: { 'a"b': { type: 'text' } } }, 'properties'],
    ['a column name of 64 characters', { properties: { ['a'.repeat(64)]: { type: 'text' } } }, 'properties'],
    ['a newline at the end of a column name', { properties: { 'a\n': { type: 'text' } } }, 'properties'],
    ['the system field _id', { properties: { _id: { type: 'text' } } }, '_id'],
    ['the system field _etag', { properties: { _etag: { type: 'text' } } }, '_etag'],
    ['the system field created_at', { properties: { created_at: { type: 'datetime' } } }, 'created_at'],
    ['the system field updated_at', { properties: { updated_at: { type: 'datetime' } } }, 'updated_at'],
    ['501 columns', { properties: columns(501) }, 'properties'],
    ['indexes that are an object', { indexes: { properties: ['a'] } }, 'indexes'],
    ['an index that is text', { properties: columns(1), indexes: ['c0'] }, 'indexes.0'],
    ['an index over nothing', { properties: columns(1), indexes: [{ properties: [] }] }, 'indexes.0'],
    [
      'an index over an unknown column',
      { properties: columns(1), indexes: [{ properties: ['nope'] }] },
      'nope',
    ],
    ['an index over a system field', { properties: columns(1), indexes: [{ properties: ['_id'] }] }, '_id'],
    ['an index over a name from the prototype', { indexes: [{ properties: ['toString'] }] }, 'toString'],
    ['an index over a number', { properties: columns(1), indexes: [{ properties: [0] }] }, 'indexes.0'],
    [
      'an index over one column twice',
      { properties: columns(1), indexes: [{ properties: ['c0', 'c0'] }] },
      'twice',
    ],
    [
      'the same index twice',
      { properties: columns(1), indexes: [{ properties: ['c0'] }, { properties: ['c0'] }] },
      'twice',
    ],
    [
      'an index of 17 columns',
      { properties: columns(17), indexes: [{ properties: Object.keys(columns(17)) }] },
      'indexes.0',
    ],
    [
      '33 indexes',
      { properties: columns(33), indexes: Object.keys(columns(33)).map(name => ({ properties: [name] })) },
      'indexes',
    ],
    [
      'a unique over an unknown column',
      { properties: columns(1), uniques: [{ properties: ['nope'] }] },
      'nope',
    ],
    ['an unknown attribute of a unique', { uniques: [{ properties: ['a'], name: 'x' }] }, 'uniques.0'],
    ['agent_ids that are text', { agent_ids: 'x' }, 'agent_ids'],
    ['an agent id that is not a uuid', { agent_ids: ['x'] }, 'agent_ids'],
    ['an unknown agent id', { agent_ids: [randomUUID()] }, 'agent_ids'],
  ])('refuses %s', async (_, body, place) => {
    const before = await countOf();
    const answer = await create({ name: newName(), ...body, ...(_ === 'no name' && { name: undefined }) });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(place);
    expect(await countOf()).toEqual(before);
  });

  it.each([
    ['__proto__', '{"name":"p","properties":{"__proto__":{"type":"text"}}}'],
    ['__proto__, escaped', '{"name":"p","properties":{"\\u005f_proto__":{"type":"text"}}}'],
    ['__proto__, one letter of it escaped', '{"name":"p","properties":{"__pr\\u006fto__":{"type":"text"}}}'],
  ])('refuses the column name %s', async (_, raw) => {
    const before = await countOf();
    const answer = await app.request('POST', '/v1/collections', { ...home.owner, raw });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(await countOf()).toEqual(before);
  });

  it('accepts column names with a meaning in JavaScript', async () => {
    const properties = {
      constructor: { type: 'text' },
      toString: { type: 'integer' },
      hasOwnProperty: { type: 'json' },
    };
    const { body } = await create({ name: newName(), properties });
    const data = `/v1/collections/${body.collection_id}/data`;
    const record = { constructor: 'Wren', toString: 1, valueOf: [1] };
    await app.request('POST', data, { ...home.owner, body: { records: record } });
    const found = await app.request('POST', `${data}/query`, {
      ...home.owner,
      body: { filter: { toString: 1, constructor: 'Wren', valueOf: 1 } },
    });
    expect(found.body.records).toEqual([expect.objectContaining({ ...record, hasOwnProperty: null })]);
  });
});
