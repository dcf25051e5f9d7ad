import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  newHome,
  newTypedCollection,
  outcome,
  search,
  written,
} from '../../harness/collection.js';
import { importFile, NDJSON } from './transfer.js';

describe('the parameter columns of an import', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });
  const send = async (
    raw: string,
    columns: unknown,
    more: { type?: string; query?: Record<string, string> } = {},
  ) => {
    const collection = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
    const text = typeof columns === 'string' ? columns : JSON.stringify(columns);
    const query = { columns: text, ...more.query };
    const answer = await importFile(app, collection, raw, { ...more, query });
    return { answer, collection };
  };

  it('gives headers the columns they belong to, with their types, and leaves out those with null', async () => {
    const raw = 'Book title;Year of print;Internal no.;shelf;$odd\nEmma;1815;x;7;y\nPersuasion;1817;;8;z\n';
    const columns = { 'Book title': 'title', 'Year of print': 'year', 'Internal no.': null, $odd: null };
    const { answer, collection } = await send(raw, columns, {
      query: { mode: 'upsert', upsert_key: 'title' },
    });
    expect(answer.last).toMatchObject({ ok: true, inserted: 2 });
    const { records } = await search(app, collection);
    expect(records).toMatchObject([
      { title: 'Emma', year: 1815, shelf: '7' },
      { title: 'Persuasion', year: 1817, shelf: '8' },
    ]);
    expect(Object.keys(records[0])).not.toContain('Internal no.');
  });

  it('keeps a field that the service sets itself in another column; the summary names those that it leaves out', async () => {
    const raw = 'title,created_at,updated_at\nEmma,1815,1816\n';
    const { answer, collection } = await send(raw, { created_at: 'year' });
    expect(answer.last).toMatchObject({ ok: true, inserted: 1, ignored: ['updated_at'] });
    expect((await search(app, collection)).records).toMatchObject([{ title: 'Emma', year: 1815 }]);
  });

  it('exchanges the names of two headers', async () => {
    const { answer, collection } = await send('title,year\n1815,Emma\n', { title: 'year', year: 'title' });
    expect(answer.last.ok).toBe(true);
    expect((await search(app, collection)).records).toMatchObject([{ title: 'Emma', year: 1815 }]);
  });

  it('names repeated headers by their number, and fields without a column if that is allowed', async () => {
    const raw = 'title,title,price>2.5,\nEmma,1815,yes,3\n';
    const refused = await send(raw, {});
    expect(outcome(refused.answer)).toEqual([400, 'InvalidArguments']);
    expect(refused.answer.body.message).toContain('"title (2)"');
    const columns = { 'title (2)': 'year', 'price>2.5': 'cheap', '': null };
    const unknown = await send(raw, columns);
    expect(unknown.answer.body.message).toContain('allow_unknown=true');
    const { answer, collection } = await send(raw, columns, { query: { allow_unknown: 'true' } });
    expect(answer.last).toMatchObject({ ok: true, inserted: 1 });
    expect((await search(app, collection)).records).toMatchObject([
      { title: 'Emma', year: 1815, cheap: 'yes' },
    ]);
  });

  it('is for the header below a title, which is refused if skip_lines does not leave it out', async () => {
    const raw =
      'Books of the library\n\nTitle;year;shelf\nEmma;1815;7\nTitle;year;shelf\nPersuasion;1817;8\n';
    const refused = await send(raw, {});
    expect(outcome(refused.answer)).toEqual([400, 'InvalidArguments']);
    expect(refused.answer.body.message).toContain('skip_lines');
    const query = { skip_lines: '2', on_error: 'skip' };
    const { answer, collection } = await send(raw, { Title: 'title' }, { query });
    const problem = 'repeats the header: remove the line, or leave it out with on_error=skip';
    expect(answer.last).toMatchObject({ ok: true, inserted: 2, errors: [{ row: 2, column: null, problem }] });
    expect((await search(app, collection)).records).toMatchObject([
      { title: 'Emma', year: 1815, shelf: '7' },
      { title: 'Persuasion', year: 1817, shelf: '8' },
    ]);
    const ndjson = await send('{"title": "Emma"}', {}, { type: NDJSON, query: { skip_lines: '1' } });
    expect(ndjson.answer.status).toBe(400);
  });

  it('names the column in errors of rows', async () => {
    const { answer } = await send('When\nsoon\n', { When: 'year' });
    expect(outcome(answer)).toEqual([422, 'BatchRejected']);
    expect(answer.body.details).toMatchObject([{ row: 1, column: 'year' }]);
  });

  it.each<[string, string, unknown, string]>([
    ['a header that the file does not have', 'a\n1\n', { b: 'title' }, '"b"'],
    ['a name that is not a column', 'a\n1\n', { a: 'author' }, '"author"'],
    ['a name that every object has', 'a\n1\n', { a: 'constructor' }, '"constructor"'],
    ['two headers of one column', 'a,b\n1,2\n', { a: 'title', b: 'title' }, '"a" and "b"'],
    ['a header of a column that another header has by name', 'a,title\n1,2\n', { a: 'title' }, 'twice'],
    ['a list', 'a\n1\n', [], 'columns'],
    ['a number for a column', 'a\n1\n', { a: 1 }, 'columns'],
    ['text that is not JSON', 'a\n1\n', '{a', 'columns'],
  ])('is refused with 400 for %s', async (_, raw, columns, says) => {
    const { answer, collection } = await send(raw, columns);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
    expect((await written(app, collection))[0]).toBe(0);
  });

  it.each([
    [NDJSON, (records: readonly string[]) => records.join('\n')],
    ['application/json', (records: readonly string[]) => `[${records}]`],
  ])(
    'gives fields of %s the columns they belong to, and leaves out those with null',
    async (type, fileOf) => {
      const records = [
        '{"a":"Emma","b":1815,"note":1,"shelf":12345678901234567890}',
        '{"title":"Sylvia","a":"x"}',
        '7',
      ];
      const columns = { a: 'title', b: 'year', note: null, shelf: 'place' };
      const unknown = await send(fileOf(records), columns, { type });
      expect(unknown.answer.body.message).toContain('allow_unknown=true');
      const query = { allow_unknown: 'true', on_error: 'skip', refused: 'all' };
      const { answer, collection } = await send(fileOf(records), columns, { type, query });
      expect(answer.last).toMatchObject({
        ok: true,
        inserted: 1,
        rounded: ['place'],
        errors: [
          { row: 2, column: 'title', problem: 'two fields of the record have this name' },
          { row: 3, column: null },
        ],
      });
      const [record] = (await search(app, collection)).records;
      expect(record).toMatchObject({ title: 'Emma', year: 1815, place: 12345678901234567000 });
      for (const name of ['a', 'b', 'note', 'shelf']) expect(record).not.toHaveProperty(name);
    },
  );
});
