import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  newCollection,
  newHome,
  newName,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { guest, newGroup, withGroup, withOrg, withUser } from './sharing.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const COLUMNS = { title: { type: 'text' }, status: { type: 'text' }, margin: { type: 'double' } };
const SCHEMA = {
  properties: COLUMNS,
  allow_unknown: true,
  indexes: [{ properties: ['title'] }, { properties: ['status', 'margin'] }, { properties: ['extra.cost'] }],
  uniques: [{ properties: ['title'] }, { properties: ['margin'] }],
};

/** A member of the organization with these grants on a new collection: its own, and one of a group that it is in. */
async function member(own: object | undefined, ofGroup?: object) {
  const books = await newCollection(app, home, SCHEMA);
  const person = await newMember(app, home.org);
  const share = (body: object) => app.request('POST', `${books.path}/access`, { ...home.owner, body });
  const group = ofGroup && withGroup(home.org, await newGroup(app, home.org, person));
  const answers = [
    ...(own ? [await share({ ...withUser(person), ...own })] : []),
    ...(group ? [await share({ ...group, ...ofGroup })] : []),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const caller = { token: person.token };
  const shown = async () => (await app.request('GET', books.path, caller)).body;
  return { books, caller, person, shown };
}

async function saveCharts({ path }: TestCollection, charts: object[]) {
  expect((await app.request('PUT', `${path}/charts`, { ...home.owner, body: { charts } })).status).toBe(200);
}

describe('my_access', () => {
  const all = { restricted: false, read_fields: null, write_fields: null };

  it.each([
    ['an editor without rules', { role: 'editor' }, all],
    ['a reader with limits', { role: 'reader', limits: { reads_per_minute: 5 } }, all],
    [
      'a rule without fields',
      { role: 'editor', rules: { read: { status: 'open' } } },
      { restricted: true, read_fields: null, write_fields: null },
    ],
    [
      'fields to read',
      { role: 'editor', fields: { read: { title: 1, extra: 1 } } },
      { restricted: true, read_fields: ['title', 'extra'], write_fields: ['title', 'extra'] },
    ],
    [
      'fields to hide',
      { role: 'editor', fields: { read: { margin: 0 }, write: { title: 1, margin: 1 } } },
      { restricted: true, read_fields: ['title', 'status'], write_fields: ['title'] },
    ],
    [
      'a reader',
      { role: 'reader', fields: { read: { title: 1 } } },
      { restricted: true, read_fields: ['title'], write_fields: [] },
    ],
    [
      'rules that let it insert without seeing',
      { role: 'editor', rules: { read: false, create: true }, fields: { write: { status: 1 } } },
      { restricted: true, read_fields: [], write_fields: ['status'] },
    ],
  ])('says what %s restricts', async (_, grant, access) => {
    const { shown } = await member(grant);
    expect((await shown()).my_access).toEqual(access);
  });

  it('grants add up', async () => {
    const { shown } = await member(
      { role: 'reader', fields: { read: { title: 1 } } },
      { role: 'editor', rules: { read: { a: 1 } }, fields: { read: { margin: 1 }, write: { margin: 1 } } },
    );
    expect((await shown()).my_access).toEqual({
      restricted: true,
      read_fields: ['title', 'margin'],
      write_fields: ['margin'],
    });
    const open = await member({ role: 'editor', rules: { read: { a: 1 } } }, { role: 'reader' });
    expect((await open.shown()).my_access).toEqual({
      restricted: true,
      read_fields: null,
      write_fields: null,
    });
    const admin = await member({ role: 'reader', rules: { read: false } }, { role: 'admin' });
    expect((await admin.shown()).my_access).toEqual(all);
  });

  it('never restricts owners and admins of the organization', async () => {
    const other = await newHome(app);
    const books = await newCollection(app, other, SCHEMA);
    const body = { ...withOrg(other.org), role: 'reader', rules: { read: false } };
    expect((await app.request('POST', `${books.path}/access`, { ...other.owner, body })).status).toBe(201);
    expect((await app.request('GET', books.path, other.owner)).body.my_access).toEqual(all);
    const { token } = await newMember(app, other.org);
    expect((await app.request('GET', books.path, { token })).body.my_access).toMatchObject({
      restricted: true,
    });
  });

  it('is that of a collection key', async () => {
    const books = await newCollection(app, home, SCHEMA);
    const body = { slug: newName(), name: 'Key', fields: { read: { title: 1 } } };
    const { secret } = (await app.request('POST', `${books.path}/api-keys`, { ...home.owner, body })).body;
    const shown = (await app.request('GET', books.path, { key: secret })).body;
    expect(shown).toMatchObject({
      my_role: 'editor',
      my_rights: ['read'],
      my_access: { read_fields: ['title'] },
    });
    expect(Object.keys(shown.schema)).toEqual(['title']);
  });
});

describe('a caller that does not see a field', () => {
  const HIDING = { role: 'editor', fields: { read: { title: 1, status: 1 } } };

  it('is shown no column, index or unique that names it, and no count, in an answer and in lists', async () => {
    const { books, shown, caller } = await member(HIDING);
    const list = await app.request('GET', '/v1/collections?scope=shared&with_counts=true', caller);
    for (const view of [await shown(), list.body.items[0]]) {
      expect(view.collection_id).toBe(books.id);
      expect(Object.keys(view.schema)).toEqual(['title', 'status']);
      expect(view.indexes).toEqual([{ properties: ['title'] }]);
      expect(view.uniques).toEqual([{ properties: ['title'] }]);
      expect([view.row_count, view.history_bytes]).toEqual([null, null]);
      expect(JSON.stringify(view)).not.toMatch(/margin|extra/);
    }
  });

  it('is shown only charts that name visible fields, and saves none', async () => {
    const { books, caller, shown } = await member(HIDING);
    const count = { type: 'count', output_field: 'n' };
    const seen = { title: 'A', steps: [count], group_by: 'status', filter: { title: 'x' }, sort: { n: -1 } };
    await saveCharts(books, [
      seen,
      { title: 'B', steps: [{ type: 'avg', input_field: 'margin', output_field: 'm' }], group_by: 'status' },
      { title: 'C', steps: [count], group_by: [{ field: 'extra.cost', step: 1 }] },
      { title: 'D', steps: [count], filter: { $or: [{ title: 'x' }, { extra: 1 }] } },
      { title: 'E', y: 'margin' },
    ]);
    const read = await app.request('GET', `${books.path}/charts`, caller);
    expect(read.body.charts).toEqual([seen]);
    expect((await shown()).charts).toEqual([seen]);
    const save = await app.request('PUT', `${books.path}/charts`, { ...caller, body: { charts: [] } });
    expect(outcome(save)).toEqual([403, 'Forbidden']);
  });

  it('is shown only views that name visible fields, and saves none for all', async () => {
    const { books, caller } = await member(HIDING);
    const save = (body: object, by = home.owner) =>
      app.request('POST', `${books.path}/views`, { ...by, body: { for: 'all', ...body } });
    await save({
      name: 'seen',
      filter: { title: 'x' },
      sort: { status: 1 },
      fields: ['title'],
      columns: ['title'],
    });
    const hidden = await save({ name: 'filter', filter: { extra: 1 } });
    await save({ name: 'sort', sort: { 'extra.cost': 1 } });
    await save({ name: 'fields', fields: { margin: 0 } });
    await save({ name: 'columns', columns: [{ name: 'extra', width: 3 }] });
    const { body } = await app.request('GET', `${books.path}/views`, caller);
    expect([body.items.map(({ name }: { name: string }) => name), body.total]).toEqual([['seen'], 1]);
    const gone = await app.request('DELETE', `${books.path}/views/${hidden.body.id}`, caller);
    expect(outcome(gone)).toEqual([404, 'NotFound']);
    expect(outcome(await save({ name: 'mine' }, caller))).toEqual([403, 'Forbidden']);
    expect((await save({ name: 'mine', for: 'me' }, caller)).status).toBe(201);
  });

  it('cannot explain queries, share or manage', async () => {
    const { books, caller } = await member(HIDING);
    const explained = await app.request('POST', `${books.data}/explain`, { ...caller, body: {} });
    expect(outcome(explained)).toEqual([403, 'Forbidden']);
    for (const [method, path, body] of [
      ['GET', '/access', undefined],
      ['PATCH', '', { description: 'x' }],
      ['GET', '/api-keys', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await app.request(method, `${books.path}${path}`, { ...caller, ...(body && { body }) });
      expect(outcome(answer)).toEqual([403, 'Forbidden']);
    }
  });

  it('gets another entity tag when its fields change', async () => {
    const { books, caller, person } = await member(HIDING);
    const tag = async () => (await app.request('GET', books.path, caller)).headers.get('etag');
    const before = await tag();
    const body = { fields: { read: { title: 1 } } };
    const path = `${books.path}/access/user/${person.userId}`;
    expect((await app.request('PATCH', path, { ...home.owner, body })).status).toBe(200);
    expect(await tag()).not.toBe(before);
  });
});

it('refuses a caller whose grants have more than 1,000 conditions together, whatever it does with records', async () => {
  const rule = (part: string) => ({ $or: Array.from({ length: 100 }, (_, value) => ({ [part]: value })) });
  const rules = (part: string) => ({
    read: rule(part),
    update: rule(part),
    delete: rule(part),
    create: rule(part),
  });
  const books = await newCollection(app, home);
  const person = await guest(app, home.org, books, 'reader');
  const caller = { token: person.token };
  const share = (body: object) => app.request('POST', `${books.path}/access`, { ...home.owner, body });
  const groups = [await newGroup(app, home.org, person), await newGroup(app, home.org, person)];
  await share({ ...withUser(person), role: 'editor', rules: rules('a') });
  for (const group of groups)
    await share({ ...withGroup(home.org, group), role: 'editor', rules: rules('b') });
  for (const path of [books.path, `${books.data}/count`])
    expect(outcome(await app.request('GET', path, caller))).toEqual([403, 'TooManyRules']);
  expect(outcome(await app.request('POST', books.data, { ...caller, body: { records: {} } }))).toEqual([
    403,
    'TooManyRules',
  ]);
  const listed = await app.request('GET', '/v1/collections?scope=shared', caller);
  expect(listed.body.items).toMatchObject([
    { my_access: { restricted: true, read_fields: [], write_fields: [] } },
  ]);
  await share({ ...withGroup(home.org, groups[0] as string), role: 'editor', rules: null });
  expect((await app.request('GET', `${books.data}/count`, caller)).status).toBe(200);
});
