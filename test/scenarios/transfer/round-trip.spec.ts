import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  type TestCollection,
} from '../../harness/collection.js';
import { FITTING } from '../records/typed-values.js';
import { CSV, exported, exportFile, importFile, NDJSON } from './transfer.js';

const AWKWARD = [
  '',
  ' ',
  ',',
  ';',
  '\t',
  '"',
  '""',
  '\n',
  '\r\n',
  '\r',
  "'",
  'null',
  'true',
  '007',
  '=1+1',
  '\ufeff',
  'é𝄞',
];
const FLEXIBLE = { shelf: 7, on: false, nothing: null, deep: { list: [1, { a: null }] } };

describe('an export can be imported', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    const typed = FITTING.map(({ column, sent }) => ({ [column]: sent }));
    const texts = AWKWARD.map(text => ({
      title: text,
      tags: [text],
      details: text,
      free: text,
      [`x${text}y`.replaceAll(/[\0.]/g, '')]: 'z',
    }));
    await insert(app, books, EMMA, {}, ...typed, ...texts, FLEXIBLE);
  });

  /** Records without the fields that the import creates anew. */
  const fields = (records: Record<string, unknown>[]) =>
    records.map(({ _id, created_at, updated_at, ...rest }) => rest);

  async function travelled(format: 'csv' | 'ndjson', encoding?: string) {
    const { text } = await exportFile(app, books, { format });
    const there = await newTypedCollection(app, home);
    const type = format === 'csv' ? CSV : NDJSON;
    const { last } = await importFile(app, there, text, { type, ...(encoding && { encoding }) });
    expect(last).toMatchObject({ ok: true, errors: [] });
    return exported(app, there);
  }

  it('as JSON lines without loss', async () => {
    const [sent, came] = [await exported(app, books), await travelled('ndjson')];
    expect(fields(came)).toEqual(fields(sent));
    expect(came.some(({ _id }) => sent.some(each => each._id === _id))).toBe(false);
  });

  it('as CSV without loss in columns; flexible fields become text', async () => {
    const sent = fields(await exported(app, books));
    const asText = sent.map(record =>
      Object.fromEntries(
        Object.entries(record).flatMap(([name, value]) => {
          if (name in EMMA && name !== 'shelf' && name !== 'notes') return [[name, value]];
          if (value === null) return [];
          return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
        }),
      ),
    );
    expect(fields(await travelled('csv'))).toEqual(asText);
  });
});
