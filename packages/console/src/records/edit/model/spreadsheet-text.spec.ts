import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromSpreadsheet, toSpreadsheet } from './spreadsheet-text.js';

describe('cells of a spreadsheet', () => {
  it('are read as Excel and LibreOffice copy them', () => {
    expect(fromSpreadsheet('a\t1,5\r\n"two\nlines"\t"say ""hi"""\r\n')).toEqual([
      ['a', '1,5'],
      ['two\nlines', 'say "hi"'],
    ]);
    expect(fromSpreadsheet('\t\n5" disk\tx')).toEqual([
      ['', ''],
      ['5" disk', 'x'],
    ]);
    expect(fromSpreadsheet('one')).toEqual([['one']]);
  });

  it('are the same after they were copied and pasted', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', '\r', ',', ' ') });
    const table = fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
      .chain(([height, width]) => {
        const row = fc.array(text, { minLength: width, maxLength: width });
        return fc.array(row, { minLength: height, maxLength: height });
      });
    fc.assert(
      fc.property(table, rows => {
        // A last row with one empty cell looks like the line end behind the table.
        fc.pre(rows.length === 1 || rows.at(-1)?.join('') !== '' || rows[0]?.length !== 1);
        expect(fromSpreadsheet(toSpreadsheet(rows))).toEqual(rows);
      }),
    );
  });
});
