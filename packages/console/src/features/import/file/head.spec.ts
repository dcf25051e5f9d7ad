import { describe, expect, it } from 'vitest';
import { encoded } from './encoded.js';
import { headOf, linesOf, problemOf, recognized, samplesOf } from './head.js';

const headOfText = (text: string, encoding?: Parameters<typeof encoded>[1]) =>
  headOf(new Blob([encoding === undefined ? text : encoded(text, encoding)]));

describe('a file is recognized', () => {
  it('as CSV of a French spreadsheet', async () => {
    const head = await headOfText('Prénom;Prix;Le\nÉmile;1,50;31/12/2026\n', 'latin1');
    const reading = recognized(head, 'mdy');
    expect(reading).toEqual({
      encoding: 'windows-1252',
      format: 'csv',
      delimiter: ';',
      headerLine: 1,
      decimal: ',',
      dates: 'dmy',
    });
    expect(samplesOf(head, reading)).toEqual({
      names: ['Prénom', 'Prix', 'Le'],
      headers: ['Prénom', 'Prix', 'Le'],
      rows: [['Émile', '1,50', '31/12/2026']],
      isAll: true,
    });
  });

  it('as TSV without a header', async () => {
    const head = await headOfText('Emma\t1815\nUlysses\t1922\n');
    const reading = recognized(head, 'dmy');
    expect(reading).toMatchObject({ delimiter: '\t', headerLine: 0 });
    expect(samplesOf(head, reading).names).toEqual(['field_1', 'field_2']);
    expect(samplesOf(head, reading).rows).toHaveLength(2);
  });

  it('as CSV below a title', async () => {
    const head = await headOfText('Sales, 2026\n\nname;price;price\nEmma;1,5;2,5\nUlysses;3,5;4\n');
    const reading = recognized(head, 'dmy');
    expect(reading).toMatchObject({ delimiter: ';', headerLine: 3, decimal: ',' });
    expect(samplesOf(head, reading)).toMatchObject({
      names: ['name', 'price', 'price (2)'],
      rows: [
        ['Emma', '1,5', '2,5'],
        ['Ulysses', '3,5', '4'],
      ],
    });
    expect(linesOf(head, reading).slice(0, 3)).toEqual(['Sales, 2026', '', 'name;price;price']);
  });

  it('as UTF-16 of "Unicode text"', async () => {
    const head = await headOfText('\ufefftitle\tyear\nÉmile\t1762\n', 'utf-16le');
    const reading = recognized(head, 'dmy');
    expect(reading).toMatchObject({ encoding: 'utf-16le', delimiter: '\t' });
    expect(samplesOf(head, reading).rows).toEqual([['Émile', '1762']]);
  });

  it.each([
    ['ndjson', '{"a":1}\n{"a":2,"b":[]}\n'],
    ['json', '[{"a":1},\n{"a":2,"b":[]}]'],
    ['json', '{\n"a":1}\n{"a":2,"b":[]}'],
  ])('as %s', async (format, text) => {
    const head = await headOfText(text);
    const reading = recognized(head, 'dmy');
    expect(reading.format).toBe(format);
    expect(samplesOf(head, reading)).toEqual({
      names: ['a', 'b'],
      headers: ['a', 'b'],
      rows: [
        [1, undefined],
        [2, []],
      ],
      isAll: true,
    });
  });

  it('as something that cannot be imported', async () => {
    expect(problemOf(await headOfText(''))).toBe('empty');
    expect(problemOf(await headOfText('PK\x03\x04'))).toBe('notText');
    expect(problemOf(await headOfText('a\n'))).toBeUndefined();
  });
});

it('the names of a header are each another one, and known to the service by its signs', async () => {
  const head = await headOfText('a,a ,,a\n1,2,3,x\n');
  const { names, headers } = samplesOf(head, { ...recognized(head, 'dmy'), headerLine: 1 });
  expect(names).toEqual(['a', 'a (2)', 'field_3', 'a (3)']);
  expect(headers).toEqual(['a', 'a ', '', 'a (2)']);
});
