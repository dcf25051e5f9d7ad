import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome, type TestCollection } from '../../harness/collection.js';
import { until } from './database.js';

const SEARCH = { properties: ['title', 'author'], kind: 'search' };
const properties = { title: { type: 'text' }, author: { type: 'text' }, year: { type: 'integer' } };

/** Texts on which languages, encodings and patterns differ. */
const TEXTS = [
  'Emma',
  'EMMA AND EMMA',
  'émile',
  'ÉMILE ZOLA',
  'STRASSE',
  'Straße',
  'İstanbul',
  'istanbul',
  'ISTANBUL',
  'ΟΔΟΣ',
  'οδος',
  'οδός',
  '100% sure',
  '100 percent',
  'a_b',
  'axb',
  'back\\slash',
  "it's",
  '',
  ' ',
  'ﬁn',
  'fin',
  '日本語の本',
  '日本',
  'Ω ohm',
  'Ǆungla',
  'ab',
  'A.B.C.',
  'tab\tand\nline',
  '🙂 smile',
  'x'.repeat(9000),
  null,
];
const TERMS = [
  'emma',
  'EMMA',
  'mm',
  'é',
  'É',
  'émile',
  'ZOLA',
  'strasse',
  'straße',
  'ß',
  'İ',
  'i',
  'istanbul',
  'ISTANBUL',
  'οδος',
  'ΟΔΟΣ',
  'ς',
  '%',
  '100%',
  '_',
  'a_b',
  '\\',
  'back\\slash',
  "it's",
  ' ',
  '',
  'ﬁ',
  'fi',
  '日本',
  '本',
  'ω',
  'ǆ',
  'ab',
  '.b.',
  'tab\tand',
  '🙂',
  'xxxxxxxx',
  'none of these',
];

/** A text, a term, and whether the term is in the text: the full case folding of Unicode decides. */
const FOLDED: readonly [string, string, boolean][] = [
  ['ΝΙΚΟΣΙΑ', 'ΝΙΚΟΣ', true],
  ['νικοσια', 'ΝΙΚΟΣ', true],
  ['ΝΙΚΟΣ ΑΒ', 'νικοσ', true],
  ['νικος', 'ΝΙΚΟΣ', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['Ο Σ', 'ο ς', true],
  ['Straße', 'STRASSE', true],
  ['STRASSE', 'straße', true],
  ['STRAẞE', 'strasse', true],
  ['Straße', 'strase', false],
  ['ﬁnal oﬀer', 'FINAL OFF', true],
  ['FINAL', 'ﬁ', true],
  ['İstanbul', 'i\u0307stanbul', true],
  ['İstanbul', 'STANBUL', true],
  ['ISTANBUL', 'istanbul', true],
  ['kızılay', 'KIZILAY', false],
  ['kızılay', 'kızıl', true],
  ['Muſik', 'MUSIK', true],
  ['5 µm', '5 ΜM', true],
  ['20 \u212a', '20 k', true],
  ['1 \u212bngström', 'ÅNG', true],
  ['\u2126', 'ω', true],
  ['ϐιβλίο', 'ΒΙΒΛΊΟ', true],
  ['ᾳ', 'ΑΙ', true],
  ['Ꭰꮝ', 'ꭰꮝ', true],
  ['ჟანი', 'ჟანი', true],
  ['ǅungla', 'ǆUNGLA', true],
  ['𐐀𐐩', '𐐨𐐁', true],
  ['ŉ', 'ʼN', true],
  ['եւ', 'և', true],
  ['café', 'CAFÉ', true],
  ['cafe', 'CAFÉ', false],
  ['a%b\\_ß', 'A%B\\_SS', true],
  ['a b', 'A%B', false],
];

describe('an index of the kind search', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const apply = ({ path }: TestCollection, body: object) =>
    app.request('POST', `${path}/indexes`, { ...home.owner, body });
  const filled = async (records: object[], indexes: object[] = []) => {
    const collection = await newCollection(app, home, { properties, settings: { max_records: 100_000 } });
    for (let at = 0; at < records.length; at += 5000) {
      const body = { records: records.slice(at, at + 5000) };
      expect((await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body })).status).toBe(
        201,
      );
    }
    if (indexes.length > 0) expect(outcome(await apply(collection, { indexes }))).toEqual([200, undefined]);
    return collection;
  };
  const found = async ({ data }: TestCollection, filter: object): Promise<unknown[]> => {
    const body = { filter, limit: 1000, cursor: '', fields: { _id: 0, n: 1 } };
    const answer = await app.request('POST', `${data}/query`, { ...home.owner, body });
    expect(outcome(answer)).toEqual([200, undefined]);
    return answer.body.records.map(({ n }: { n: number }) => n);
  };

  it('is kept, returned and removed with its kind', async () => {
    const collection = await filled([]);
    const indexes = [{ properties: ['title'] }, { ...SEARCH, properties: ['title'] }];
    const dry = await apply(collection, { indexes, dry_run: true });
    expect(dry.body).toMatchObject({ applied: false, created: { indexes } });
    expect((await apply(collection, { indexes })).body).toMatchObject({ applied: true, indexes });
    expect((await app.request('GET', collection.path, home.owner)).body.indexes).toEqual(indexes);
    const [, ordered] = [indexes, [{ properties: ['title'], kind: 'ordered' }]];
    const answer = await apply(collection, { indexes: ordered });
    expect(answer.body.indexes).toEqual([{ properties: ['title'] }]);
    const names = await app.sql(`SELECT indexname FROM pg_indexes WHERE tablename = $1`, [
      `c_${collection.id.replaceAll('-', '')}`,
    ]);
    expect(names.filter(({ indexname }) => indexname.startsWith('f_'))).toEqual([]);
  });

  it('can be there from the creation of the collection on', async () => {
    const collection = await newCollection(app, home, { properties, indexes: [SEARCH] });
    const { body } = await app.request('GET', collection.path, home.owner);
    expect([body.indexes, body.status]).toEqual([[SEARCH], 'ready']);
  });

  it.each<[object, string]>([
    [{ indexes: [{ properties: ['year'], kind: 'search' }] }, 'year is not one'],
    [
      { indexes: [{ properties: ['title'], kind: 'text' }] },
      'indexes.0.kind: expects one of ordered, search',
    ],
    [{ indexes: [SEARCH, SEARCH] }, 'listed twice'],
    [{ uniques: [SEARCH] }, 'uniques.0.kind: is not a known property'],
  ])('is refused where it cannot be: %j', async (body, says) => {
    const answer = await apply(await filled([]), body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });

  it('keeps its columns from getting another type', async () => {
    const collection = await filled([], [SEARCH]);
    const change = { properties: { author: { type: 'integer' } } };
    for (const body of [change, { ...change, dry_run: true }]) {
      const answer = await app.request('PATCH', `${collection.path}/schema`, { ...home.owner, body });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain('author');
    }
  });

  it('finds texts in any case, as Unicode folds it, as a search without an index does', async () => {
    const records = FOLDED.map(([title], n) => ({ n, title, author: 'x', notes: [{ of: title }] }));
    const index = { properties: ['title', 'notes.of'], kind: 'search' };
    const collections = [await filled(records), await filled(records, [SEARCH, index])];
    for (const collection of collections) {
      for (const [n, [text, term, expected]] of FOLDED.entries()) {
        for (const filter of [{ $search: term }, { 'notes.of': { $search: term } }]) {
          const seen = await found(collection, { ...filter, n });
          expect([text, term, seen.length === 1]).toEqual([text, term, expected]);
        }
      }
    }
  });

  it('finds exactly what is found without it, whatever the texts and the terms are', async () => {
    // Many other records, so that the database prefers the index for terms that are rare.
    const others = Array.from({ length: 20_000 }, (_, n) => ({
      n: 1000 + n,
      title: `Volume ${n}`,
      author: 'Nobody',
    }));
    const records = [
      ...TEXTS.map((title, n) => ({ n, title, author: TEXTS[(n + 7) % TEXTS.length] })),
      ...others,
    ];
    const [plain, indexed] = [await filled(records), await filled(records, [SEARCH])];
    await app.sql(`ANALYZE ${plain.table}`);
    let used = 0;
    for (const term of TERMS) {
      for (const filter of [{ $search: term }, { title: { $search: term } }, { $nor: [{ $search: term }] }]) {
        expect(await found(indexed, filter), JSON.stringify(filter)).toEqual(await found(plain, filter));
      }
      const body = { filter: { $search: term } };
      const explained = await app.request('POST', `${indexed.data}/explain`, { ...home.owner, body });
      if (explained.body.index?.kind === 'search') used += 1;
    }
    expect(used).toBeGreaterThan(8);
  });

  it('finds the same in texts at a path, also in lists', async () => {
    const others = Array.from({ length: 5_000 }, (_, n) => ({ n: 1000 + n, about: { note: `Volume ${n}` } }));
    const notes = [
      ...TEXTS,
      ...TEXTS.map((text, n) => [text, TEXTS[(n + 5) % TEXTS.length], n]),
      7,
      { a: 'Emma' },
    ];
    const records = [...notes.map((note, n) => ({ n, about: { note } })), ...others];
    const index = { properties: ['title', 'about.note'], kind: 'search' };
    const [plain, indexed] = [await filled(records), await filled(records, [index])];
    for (const term of TERMS) {
      for (const test of [{ $search: term }, { $not: { $search: term } }]) {
        const filter = { 'about.note': test };
        expect(await found(indexed, filter), JSON.stringify(filter)).toEqual(await found(plain, filter));
      }
    }
    const body = { filter: { 'about.note': { $search: 'olume 1977' } } };
    const explained = await app.request('POST', `${indexed.data}/explain`, { ...home.owner, body });
    expect(explained.body).toMatchObject({ index, returned_rows: 1 });
    expect(explained.body.scanned_rows).toBeLessThan(50);
  });

  it('is used by $search over all texts and over one, and follows later writes', async () => {
    const records = Array.from({ length: 20_000 }, (_, n) => ({
      n,
      title: `Book ${n}`,
      author: `Writer ${n % 50}`,
    }));
    const collection = await filled(records);
    const explain = async (filter: object) => {
      const body = { filter };
      return (await app.request('POST', `${collection.data}/explain`, { ...home.owner, body })).body;
    };
    const filter = { $search: 'OOK 1977' };
    const before = await explain(filter);
    expect(before).toMatchObject({ index: null, scanned_rows: 20_000, advice: SEARCH });
    await apply(collection, { indexes: [before.advice] });
    const after = await explain(filter);
    expect(after).toMatchObject({ index: SEARCH, returned_rows: 11, advice: null });
    expect(after.scanned_rows).toBeLessThan(200);
    expect(await explain({ title: { $search: 'ook 1977' } })).toMatchObject({ index: SEARCH });
    const { body } = await app.request('POST', collection.data, {
      ...home.owner,
      body: { records: { n: -1, title: 'Lookalike', author: 'ALOOK 19775' } },
    });
    expect(await found(collection, { $search: 'look 19775' })).toEqual([-1]);
    await app.request('PATCH', `${collection.data}/${body.ids[0]}`, {
      ...home.owner,
      body: { author: 'else' },
    });
    expect(await found(collection, { $search: 'look 19775' })).toEqual([]);
  });
});

describe('a search index of version 1.1.0', () => {
  it('does not hide records, and an instance replaces it when it starts', async () => {
    const app = await startApp();
    const home = await newHome(app);
    const collection = await newCollection(app, home, { properties, indexes: [SEARCH] });
    const names = () =>
      app
        .sql(`SELECT indexname AS name FROM pg_indexes WHERE tablename = $1`, [
          `c_${collection.id.replaceAll('-', '')}`,
        ])
        .then(rows => rows.map(row => row.name).filter(name => /^[fs]_/.test(name)));
    const [name] = await names();
    const former = name.replace('f_', 's_');
    const columns = `lower(c1 COLLATE "und-x-icu") gin_trgm_ops, lower(c2 COLLATE "und-x-icu") gin_trgm_ops`;
    await app.sql(`CREATE INDEX ${former} ON ${collection.table} USING gin (${columns})`);
    await app.sql(`DROP INDEX ${collection.table.split('.')[0]}.${name}`);
    const records = ['ΝΙΚΟΣΙΑ', ...Array.from({ length: 200 }, (_, n) => `Volume ${n}`)].map(title => ({
      title,
    }));
    await app.request('POST', collection.data, { ...home.owner, body: { records } });
    const search = async () => {
      const body = { filter: { $search: 'νικος' }, fields: { title: 1, _id: 0 } };
      return (await app.request('POST', `${collection.data}/query`, { ...home.owner, body })).body.records;
    };
    expect(await search()).toEqual([{ title: 'ΝΙΚΟΣΙΑ' }]);
    const second = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
    await until(async () => (await names()).join() === name);
    await second.close();
    expect(await search()).toEqual([{ title: 'ΝΙΚΟΣΙΑ' }]);
  });
});

describe('a database without the extension', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ database: 'own' });
    await app.sql('DROP EXTENSION pg_trgm');
  });
  afterAll(() => app.close());

  it('refuses indexes of the kind search, and says what the operator can do', async () => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { properties });
    const create = { name: 'searchable', properties, indexes: [SEARCH] };
    const answers = [
      await app.request('POST', `${collection.path}/indexes`, { ...home.owner, body: { indexes: [SEARCH] } }),
      await app.request('POST', `${collection.path}/indexes`, {
        ...home.owner,
        body: { indexes: [SEARCH], dry_run: true },
      }),
      await app.request('POST', '/v1/collections', { ...home.owner, body: create }),
    ];
    for (const answer of answers) {
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain('CREATE EXTENSION pg_trgm');
    }
    const { body } = await app.request('GET', collection.path, home.owner);
    expect([body.indexes, body.status]).toEqual([[], 'ready']);
  });
});
