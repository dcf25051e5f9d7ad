import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  EVERY_TYPE,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
} from '../../harness/collection.js';

const LONG = 'é€😀'.repeat(100);
const start = (text: string, characters: number) => [...text].slice(0, characters).join('');

let app: TestApp;
let home: Home;
let books: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  books = await newTypedCollection(app, home);
});

const preview = (collection: TestCollection, body: object) =>
  app.request('POST', `${collection.data}/query`, { ...collection.owner, body });

describe('preview', () => {
  it('changes nothing in records whose values are short, whatever their types are', async () => {
    const own = await newTypedCollection(app, home);
    await insert(app, own, EMMA, {}, { 'only flexible': [1, { a: null }], big: 1e300, off: false });
    for (const query of [{}, { cursor: '', sort: { year: -1 } }, { fields: { title: 1, shelf: 1 } }]) {
      const whole = await search(app, own, query);
      const { body } = await preview(own, { ...query, preview: 300 });
      expect(JSON.stringify(body.records)).toBe(JSON.stringify(whole.records));
    }
  });

  it.each([20, 21, 299, 1_000])('cuts strings and JSON of more than %i characters', async characters => {
    const own = await newCollection(app, home, { properties: EVERY_TYPE });
    const details = { b: [LONG], a: 1 };
    const tags = Array.from({ length: 90 }, (_, n) => `tag ${n}`);
    const [id] = await insert(app, own, {
      ...EMMA,
      title: LONG,
      details,
      tags,
      text: LONG,
      list: tags,
      number: 1e300,
      exact: 'x'.repeat(characters),
    });
    const { body } = await preview(own, { preview: characters });
    const [stored] = await app.sql(
      `SELECT t.c7::text AS details, t.c8::text AS tags, (t.x -> 'list')::text AS list,
        (t.x -> 'notes')::text AS notes FROM ${own.table} t`,
    );
    const whole = (await app.request('GET', `${own.data}/${id}`, own.owner)).body.record;
    const long: Record<string, string> = { title: LONG, text: LONG, ...stored };
    const cut = Object.keys(long).filter(name => [...long[name]!].length > characters);
    const expected = { ...whole };
    for (const name of cut) expected[name] = start(long[name]!, characters);
    const { _cut = [], ...record } = body.records[0];
    expect(record).toEqual(expected);
    expect([..._cut].sort()).toEqual(cut.sort());
  });

  it('cuts in pages, with totals, tags and projections', async () => {
    const own = await newCollection(app, home, {
      properties: { n: { type: 'integer' }, text: { type: 'text' } },
    });
    await insert(
      app,
      own,
      ...Array.from({ length: 5 }, (_, n) => ({
        n,
        text: `${n}${LONG}`,
        more: { deep: `${n}${LONG}`, b: 1 },
      })),
    );
    const query = { preview: 20, sort: { n: -1 }, cursor: '', limit: 2, with_total: true, with_etags: true };
    const first = (await preview(own, query)).body;
    expect([first.total, first.count]).toEqual([5, 2]);
    expect(first.records[0]).toMatchObject({ n: 4, text: start(`4${LONG}`, 20), _cut: ['text', 'more'] });
    const read = await app.request('GET', `${own.data}/${first.records[0]._id}`, own.owner);
    expect(first.records[0]._etag).toBe(read.headers.get('etag'));
    const second = (await preview(own, { ...query, cursor: first.next_cursor })).body;
    expect(second.records.map(({ n }: { n: number }) => n)).toEqual([2, 1]);
    const back = (await preview(own, { ...query, cursor: second.prev_cursor })).body;
    expect(back.records).toEqual(first.records);

    const shown = async (fields: object) =>
      (await preview(own, { fields, preview: 20, limit: 1 })).body.records[0];
    expect(await shown({ n: 1, _id: 0 })).toEqual({ n: 0 });
    expect(await shown({ text: 1, _id: 0 })).toEqual({ text: start(`0${LONG}`, 20), _cut: ['text'] });
    const beginning = start(
      JSON.stringify({ b: 1, deep: `0${LONG}` }).replaceAll(/([:,])(?=["\d])/g, '$1 '),
      20,
    );
    expect(await shown({ more: 1, _id: 0 })).toEqual({ more: beginning, _cut: ['more'] });
    expect(await shown({ 'more.b': 1, n: 1, _id: 0 })).toEqual({ more: beginning, n: 0, _cut: ['more'] });
    expect(await shown({ 'more.b': 0, text: 0, _id: 0 })).toMatchObject({
      more: beginning,
      n: 0,
      _cut: ['more'],
    });
    expect(await shown({ none: 1, _id: 0 })).toEqual({});
  });

  it('keeps whole values in the database, so that long records are no longer too large for one page', async () => {
    const own = await newCollection(app, home, { properties: { text: { type: 'text' } } });
    const text = 'x'.repeat(4_000_000);
    for (let n = 0; n < 5; n++) await insert(app, own, { text, flexible: text });
    expect(outcome(await preview(own, {}))).toEqual([400, 'ResultTooLarge']);
    const { body } = await preview(own, { preview: 1_000 });
    expect(body.count).toBe(5);
    for (const record of body.records)
      expect(record).toMatchObject({ text: text.slice(0, 1_000), flexible: text.slice(0, 1_000) });
  });

  it('does not mistake fields from before `_cut` was reserved for its own', async () => {
    const own = await newCollection(app, home);
    await insert(app, own, { name: 'Emma' });
    await app.sql(`UPDATE ${own.table} SET x = x || '{"_cut": ["name"], "_etag": "old"}'`);
    const { body } = await preview(own, { preview: 20 });
    expect(body.records[0]).toMatchObject({ name: 'Emma' });
    expect(body.records[0]).not.toHaveProperty('_cut');
    expect(body.records[0]).not.toHaveProperty('_etag');
  });

  it('is read from the query string too', async () => {
    const own = await newCollection(app, home);
    await insert(app, own, { text: LONG });
    const { body } = await app.request('GET', `${own.data}?preview=30`, own.owner);
    expect(body.records[0]).toMatchObject({ text: start(LONG, 30), _cut: ['text'] });
  });

  it.each([19, 1_001, 0, -1, 20.5, '20', null, true])('is refused as %j', async value => {
    const refused = await preview(books, { preview: value });
    expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('preview');
  });
});
