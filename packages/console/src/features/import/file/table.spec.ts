import { describe, expect, it } from 'vitest';
import { tableOf } from './table.js';

describe('the table of a CSV file', () => {
  it.each([
    ['in the first line', 'a,b\n1,2\n', ',', 1],
    ['in the first line, if it is the only one', 'a;b\n', ';', 1],
    ['in the first line, if all lines have one cell', 'title\nEmma\nUlysses\n', ',', 1],
    ['in the first line, if some texts of one column have a comma', 't\na\nb\nc, d\n', ',', 1],
    ['in the first line, if some rows are shorter', 'a,b,c\n1,2,3\n1\n1,2,3\n', ',', 1],
    ['in the first line, if most rows are shorter', 'a,b,c\n1,2\n1,2\n', ',', 1],
    ['in the first line, if numbers have a comma', 'a;b\n1,5;2,5\n3,5;4,5\n', ';', 1],
    ['below empty lines', '\n\na\tb\n1\t2\n', '\t', 3],
    ['below a title', 'Report\r\na;b\r\n1;2\r\n', ';', 2],
    ['below a title and a date', 'Report, all\n2026-01-31\n\na;b;c\n1;2;3\n', ';', 4],
    ['below a title with empty cells', 'Report,,\n,,\na,b,c\nx,y,z\n', ',', 3],
    ['below a title with a line end in quotes', '"Report\nall"\na|b\n1|2\n', '|', 3],
    ['below a line that names the separator', 'sep=;\r\na,b;c\r\n', ';', 2],
    ['with a cell in quotes that has separators', 'a,"b;c;d"\n1,"2;3"\n', ',', 1],
  ])('begins %s', (_, text, delimiter, line) => {
    expect(tableOf(text)).toMatchObject({ delimiter, line });
  });

  it('is below other lines if they are not empty', () => {
    expect(tableOf('\n1,2\n3,4\n').isBelow).toBe(false);
    expect(tableOf('Sales\nregion,2025\nnorth,4\n').isBelow).toBe(true);
  });
});
