import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome, search } from '../../harness/collection.js';
import { importFile, NDJSON, type Sending } from './transfer.js';

const PROPERTIES = {
  name: { type: 'text' },
  count: { type: 'integer' },
  price: { type: 'double' },
  day: { type: 'date' },
  at: { type: 'datetime' },
  extra: { type: 'json' },
};

/** Texts of one byte a character: all characters here have the same place in ISO 8859-1 and Windows-1252, but the euro sign. */
function western(text: string): Uint8Array {
  return Uint8Array.from(text, sign => (sign === '€' ? 0x80 : sign.charCodeAt(0)));
}

/** As Excel saves "Unicode text": UTF-16 with a byte order mark, tabs, CR LF. */
function unicodeText(text: string): Uint8Array {
  return Buffer.from(`\ufeff${text}`, 'utf16le');
}

describe('imports of files as spreadsheets of a country save them', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const send = async (raw: string | Uint8Array, query: Record<string, string>, more: Sending = {}) => {
    const collection = await newCollection(app, home, { properties: PROPERTIES });
    const answer = await importFile(app, collection, raw, { ...more, query });
    const { records } = await search(app, collection, { limit: 100 });
    return { answer, records };
  };
  const imported = async (raw: string | Uint8Array, query: Record<string, string>, more?: Sending) => {
    const { answer, records } = await send(raw, query, more);
    expect([answer.status, answer.body?.message, answer.last?.errors, answer.last?.ok]).toEqual([
      200,
      undefined,
      [],
      true,
    ]);
    return records;
  };

  it('reads a German file of Excel: Windows-1252, semicolons, decimal commas, days first', async () => {
    const raw = western(
      'name;count;price;day;at\r\nMüller & Söhne;1.234;1.234,50;24.06.2025;24.06.2025 14:30\r\n"Größe; 5 €";-7;0,5;1.1.2026;01.01.2026\r\nleer;;;;\r\n',
    );
    const query = {
      encoding: 'windows-1252',
      delimiter: ';',
      decimal: ',',
      dates: 'dmy',
      zone: 'Europe/Berlin',
    };
    expect(await imported(raw, query)).toMatchObject([
      {
        name: 'Müller & Söhne',
        count: 1234,
        price: 1234.5,
        day: '2025-06-24',
        at: '2025-06-24T12:30:00.000Z',
      },
      { name: 'Größe; 5 €', count: -7, price: 0.5, day: '2026-01-01', at: '2025-12-31T23:00:00.000Z' },
      { name: 'leer', count: null, price: null, day: null, at: null },
    ]);
  });

  it('reads a French file: UTF-8, narrow spaces between thousands, slashes in dates', async () => {
    const raw =
      '\ufeffname;count;price;day;at\nCafé crème;1\u202f234;12\u00a0345,5;24/06/2025;24/06/2025 14:30:15\nÉté;12 000;-0,25;01/02/2026;2026-02-01 00:00\n';
    const query = { decimal: ',', dates: 'dmy', zone: 'Europe/Paris' };
    expect(await imported(raw, query)).toMatchObject([
      { name: 'Café crème', count: 1234, price: 12345.5, day: '2025-06-24', at: '2025-06-24T12:30:15.000Z' },
      { name: 'Été', count: 12000, price: -0.25, day: '2026-02-01', at: '2026-01-31T23:00:00.000Z' },
    ]);
  });

  it('reads a file of the United States: grouped numbers, months first, the twelve-hour clock', async () => {
    const raw =
      'name,count,price,day,at\nA,"1,234","$",6/24/2025,6/24/2025 2:30 PM\nB,5,"1,234.5",12/31/2025,"12/31/2025, 12:05:06 AM"\nC,6,.5,2025-06-24,2025-06-24T10:00:00Z\n';
    const query = { decimal: '.', dates: 'mdy', zone: 'America/New_York', on_error: 'skip' };
    const { answer, records } = await send(raw, query);
    expect(answer.last).toMatchObject({ ok: true, inserted: 2, errors: [{ row: 1, column: 'price' }] });
    expect(records).toMatchObject([
      { name: 'B', count: 5, price: 1234.5, day: '2025-12-31', at: '2025-12-31T05:05:06.000Z' },
      { name: 'C', count: 6, price: 0.5, day: '2025-06-24', at: '2025-06-24T10:00:00.000Z' },
    ]);
  });

  it.each([
    ['utf-16le', unicodeText('name\tcount\r\nŁódź 😀\t7\r\nΑθήνα\t8\r\n'), ['Łódź 😀', 'Αθήνα']],
    ['utf-16be', Buffer.from(unicodeText('name\tcount\r\nŁódź 😀\t7\r\n')).swap16(), ['Łódź 😀']],
    ['iso-8859-1', western('name\tcount\nnaïve\t1\n'), ['naïve']],
    [
      'iso-8859-2',
      Uint8Array.of(...Buffer.from('name\tcount\n'), 0xa3, 0xf3, 0x64, 0xbc, 9, 0x31, 10),
      ['Łódź'],
    ],
    ['shift_jis', Uint8Array.of(...Buffer.from('name\tcount\n'), 0x93, 0xfa, 0x96, 0x7b, 9, 0x31), ['日本']],
    ['UTF-8', 'name\tcount\nnaïve\t1\n', ['naïve']],
  ])('reads %s', async (encoding, raw, names) => {
    const records = await imported(raw, { encoding }, { type: 'text/tab-separated-values' });
    expect(records.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it('decodes characters that are cut between the pieces of a long file, and compressed ones', async () => {
    const rows = Array.from({ length: 40_000 }, (_, n) => `größe-${n};${n}`);
    const raw = unicodeText(`name;count\r\n${rows.join('\r\n')}\r\n`);
    const collection = await newCollection(app, home, {
      properties: PROPERTIES,
      settings: { max_records: 50_000 },
    });
    const answer = await importFile(app, collection, raw, { query: { encoding: 'utf-16le' } });
    expect(answer.last).toMatchObject({ ok: true, inserted: 40_000 });
    const found = await search(app, collection, { filter: { name: 'größe-39999' } });
    expect(found.records).toMatchObject([{ count: 39_999 }]);
  });

  it.each([',', ';', '\t', '|', '^', '~', ' ', ']', '\\', '-', '·', '.', 'x'])(
    'takes the delimiter %j',
    async delimiter => {
      const raw = `name${delimiter}count\nA"B${delimiter}1\n"a${delimiter}b"${delimiter}2\n`.replace(
        'A"B',
        'AB',
      );
      expect(await imported(raw, { delimiter })).toMatchObject([
        { name: 'AB', count: 1 },
        { name: `a${delimiter}b`, count: 2 },
      ]);
    },
  );

  it('takes the delimiter of the parameter before that of a first line, which is left out', async () => {
    expect(await imported('sep=;\nname|count\na;b|1\n', { delimiter: '|' })).toMatchObject([
      { name: 'a;b', count: 1 },
    ]);
  });

  it.each([
    ['2026-03-29 01:59', '2026-03-29T00:59:00.000Z'],
    ['2026-03-29 02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T03:00:00.5', '2026-03-29T01:00:00.500Z'],
    ['2026-10-25 02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25 03:00', '2026-10-25T02:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['1950-07-01 12:00', '1950-07-01T11:00:00.000Z'],
    ['2026-10-25T02:30:00-05:00', '2026-10-25T07:30:00.000Z'],
  ])('reads %s in Paris as %s', async (text, instant) => {
    expect(await imported(`name,at\nA,${text}\n`, { zone: 'Europe/Paris' })).toMatchObject([{ at: instant }]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['price', '1.5', { decimal: ',' }],
    ['price', '1,5', { decimal: '.' }],
    ['price', '1.23.456', { decimal: ',' }],
    ['price', '12,34', {}],
    ['count', '1,5', { decimal: ',' }],
    ['count', '1.234', {}],
    ['day', '31/02/2026', { dates: 'dmy' }],
    ['day', '13/13/2026', { dates: 'dmy' }],
    ['day', '24/06/2026', { dates: 'mdy' }],
    ['day', '24/06/2026', { dates: 'ymd' }],
    ['day', '24/06-2026', { dates: 'dmy' }],
    ['day', '24/06/2026 10:00', { dates: 'dmy' }],
    ['at', '24.06.2026 10:00', { dates: 'dmy' }],
    ['at', '24.06.2026 25:00', { dates: 'dmy', zone: 'UTC' }],
    ['at', '06/24/2026 13:00 PM', { dates: 'mdy', zone: 'UTC' }],
    ['at', '2026-06-24 10:00', {}],
    ['at', '2026-02-30 10:00', { zone: 'UTC' }],
  ])('refuses in the column %s the text %s with %j, and names its row', async (column, text, query) => {
    const raw = `name;${column}\nfirst;\n"two\nlines";\nthird;"${text}"\n`;
    const { answer } = await send(raw, { ...query, refused: 'all' });
    expect(answer.last).toMatchObject({ ok: false, errors: [{ row: 3, column }] });
    expect(answer.lines.find(line => line.refused)).toMatchObject({
      refused: { row: 3, line: `third;"${text}"` },
    });
  });

  it('leaves texts, JSON and fields without a column as they are', async () => {
    const raw = 'name;extra;other\n1,5;"{""a"":1.5}";24.06.2025\n';
    const query = { decimal: ',', dates: 'dmy', zone: 'Europe/Paris' };
    expect(await imported(raw, query)).toMatchObject([
      { name: '1,5', extra: { a: 1.5 }, other: '24.06.2025' },
    ]);
  });

  it('notes whole numbers that lose digits also when they are grouped', async () => {
    const { answer } = await send('name;price\nA;12.345.678.901.234.567\n', { decimal: ',' });
    expect(answer.last).toMatchObject({ ok: true, rounded: ['price'] });
  });

  it.each<[Record<string, string>, string, string?]>([
    [{ encoding: 'klingon' }, 'encoding'],
    [{ encoding: '' }, 'encoding'],
    [{ delimiter: ';;' }, 'delimiter'],
    [{ delimiter: '' }, 'delimiter'],
    [{ delimiter: '"' }, 'delimiter'],
    [{ delimiter: '\n' }, 'delimiter'],
    [{ decimal: ';' }, 'decimal'],
    [{ dates: 'ydm' }, 'dates'],
    [{ zone: 'Europe/Pariss' }, 'zone'],
    [{ zone: '+02:00' }, 'zone'],
    [{ locale: 'de' }, 'locale'],
    [{ delimiter: ';' }, 'delimiter: is only allowed for CSV', NDJSON],
    [{ skip_lines: '1' }, 'skip_lines: is only allowed for CSV', NDJSON],
    [{ decimal: ',' }, 'decimal: is only allowed for CSV', NDJSON],
    [{ dates: 'dmy' }, 'dates: is only allowed for CSV', 'application/json'],
    [{ zone: 'UTC' }, 'zone: is only allowed for CSV', 'application/json'],
  ])('refuses %j', async (query, says, type = 'text/csv') => {
    const { answer } = await send(type === 'text/csv' ? 'name\nA\n' : '[]', query, { type });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });

  it.each<[string, Uint8Array, Record<string, string>]>([
    ['UTF-8', western('name\nMüller\n'), {}],
    ['UTF-8. If it has another encoding', western('name\nMüller\n'), { encoding: 'utf-8' }],
    ['UTF-16LE', unicodeText('name\nA\n').subarray(0, -1), { encoding: 'utf-16le' }],
  ])('refuses a file that is not valid %s', async (says, raw, query) => {
    const { answer } = await send(raw, query);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });

  describe('a JSON array', () => {
    const JSON_TYPE = { type: 'application/json' };

    it('is read as records, whatever stands between them', async () => {
      const raw =
        '\ufeff \n[ {"name":"a,]}\\"{[","count":1},\r\n\t{"extra":{"list":[1,[2,{"b":"]"}]]},\n "name":"b\\\\"} , {} ]\n ';
      expect(await imported(raw, {}, JSON_TYPE)).toMatchObject([
        { name: 'a,]}"{[', count: 1 },
        { name: 'b\\', extra: { list: [1, [2, { b: ']' }]] } },
        { name: null },
      ]);
      expect(await imported(' [ ] ', {}, JSON_TYPE)).toEqual([]);
    });

    it('can have another encoding, and keys that are upserted', async () => {
      expect(
        await imported(unicodeText('[{"name":"Łódź"}]'), { encoding: 'utf-16le' }, JSON_TYPE),
      ).toMatchObject([{ name: 'Łódź' }]);
    });

    it('is read in pieces that are cut anywhere', async () => {
      const records = Array.from({ length: 3_000 }, (_, n) => ({
        name: `n"\\${n}`,
        extra: { text: ']},{['.repeat(n % 40), n: [n] },
      }));
      const collection = await newCollection(app, home, { properties: PROPERTIES });
      const raw = JSON.stringify(records, undefined, 2);
      const answer = await importFile(app, collection, raw, JSON_TYPE);
      expect(answer.last).toMatchObject({ ok: true, inserted: 3_000 });
      const { records: found } = await search(app, collection, { filter: { name: 'n"\\2999' } });
      expect(found).toMatchObject([records[2_999]]);
    });

    it('has rows with numbers and texts; those that do not fit are refused', async () => {
      const raw = '[{"name":"a"}, {"name":\n7}, 5, {"name" "b"}, {"name":"c"},]';
      const { answer, records } = await send(raw, { on_error: 'skip', refused: 'all' }, JSON_TYPE);
      expect(answer.last).toMatchObject({ ok: true, rows: 6, inserted: 2, skipped: 4 });
      expect(answer.lines.flatMap(({ refused }) => (refused ? [[refused.row, refused.line]] : []))).toEqual([
        [2, '{"name": 7}'],
        [3, '5'],
        [4, '{"name" "b"}'],
        [6, ''],
      ]);
      expect(records.map(({ name }: { name: string }) => name)).toEqual(['a', 'c']);
    });

    it.each([
      ['{"name":"a"}', 'must be a JSON array'],
      ['', 'must be a JSON array'],
      ['name\nA\n', 'must be a JSON array'],
      ['[{"name":"a"}', 'has no end'],
      ['[{"name":"a"}, {"name', 'has no end'],
      ['[{"name":"a"}] x', 'text after the end'],
      ['[{"name":"a"}]\n[{"name":"a"}]', 'text after the end'],
      ['[["a"]]', 'expects'],
    ])('refuses %j, and writes nothing', async (raw, says) => {
      const { answer, records } = await send(raw, {}, JSON_TYPE);
      expect(JSON.stringify([answer.body, answer.last])).toContain(says);
      expect([answer.last?.ok ?? false, records]).toEqual([false, []]);
    });

    it('refuses a record of more than 16 MiB', async () => {
      const { answer } = await send(
        `[{"name":"a"},{"name":"${'x'.repeat(17 * 1024 * 1024)}"}]`,
        {},
        JSON_TYPE,
      );
      expect(outcome(answer)).toEqual([413, 'PayloadTooLarge']);
    });
  });
});
