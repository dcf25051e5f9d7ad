import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SafeCsv } from './safe-csv.js';

/** Cells as the service writes them (src/transfer/csv-values.ts). */
const cell = (text: string) =>
  /[",;\t\r\n]|^$|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const csv = (rows: readonly (readonly string[])[]) =>
  rows.map(row => `${row.map(cell).join(',')}\r\n`).join('');

function safe(text: string, size = text.length || 1) {
  const guard = new SafeCsv();
  let written = '';
  for (let at = 0; at < text.length; at += size) written += guard.push(text.slice(at, at + size));
  return { written: written + guard.end(), lines: guard.lines };
}

describe('CSV for spreadsheets', () => {
  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\tx', '\rx', '-', '-a', '＝1', '=HYPERLINK("http://x","y")'])(
    'puts an apostrophe before %j',
    text => {
      expect(safe(csv([['a', text, 'b']])).written).toBe(`a,${cell(text).replace(/^"?/, "$&'")},b\r\n`);
    },
  );

  it.each(['1', '-1', '-1.5', '-1e-7', 'a=b', ' =1', '', "'x", 'é', '{"a":-1}'])(
    'leaves %j as it is',
    text => {
      const file = csv([[text, text]]);
      expect(safe(file).written).toBe(file);
    },
  );

  it('guards headers and every row', () => {
    expect(safe('=a,b\r\n=1,\r\n,=2\r\n').written).toBe("'=a,b\r\n'=1,\r\n,'=2\r\n");
  });

  it('gives the same file however it is cut, and counts its lines', () => {
    const text = fc.string({ unit: fc.constantFrom(...`=+-@\t\r\n",;a1.e ＝`), maxLength: 6 });
    const rows = fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 9 }), (table, size) => {
        const guarded = table.map(row =>
          row.map(value =>
            /^[=+\-@\t\r\n＝]/.test(value) && !/^-\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)
              ? `'${value}`
              : value,
          ),
        );
        // The service quotes a cell by what is in it, so the apostrophe changes no quotes but those of white space in front.
        const expected = table
          .map((row, y) =>
            row.map((value, x) =>
              cell(value).startsWith('"') ? `"${guarded[y]![x]!.replaceAll('"', '""')}"` : guarded[y]![x],
            ),
          )
          .map(row => `${row.join(',')}\r\n`)
          .join('');
        expect(safe(csv(table), size)).toEqual({ written: expected, lines: table.length });
      }),
      { numRuns: 2_000 },
    );
  });
});
