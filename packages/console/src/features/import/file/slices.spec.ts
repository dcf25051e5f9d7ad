import { describe, expect, it } from 'vitest';
import type { Reading } from './head.js';
import { type FilePlan, type Slice, slicesOf } from './slices.js';

const CSV: Reading = {
  encoding: 'utf-8',
  format: 'csv',
  delimiter: ';',
  headerLine: 1,
  decimal: ',',
  dates: 'dmy',
};

async function all(file: Blob, plan: FilePlan, size = 1_000_000): Promise<Slice[]> {
  const slices = [];
  for await (const slice of slicesOf(file, plan, size)) slices.push(slice);
  return slices;
}

const textsOf = (slices: readonly Slice[]) => Promise.all(slices.map(({ body }) => body.text()));

describe('a CSV file', () => {
  const plan: FilePlan = {
    reading: CSV,
    names: ['Title', 'Price', 'Note'],
    targets: [{ name: 'title', type: 'text' }, { name: 'price', type: 'double' }, null],
  };

  it('is written anew with the columns, values as the service reads them, and without fields left out', async () => {
    const file = new Blob(['\ufeffTitle;Price;Note\nEmma, a novel;1,5;x\n;"";y\n']);
    const [slice] = await all(file, plan);
    expect(await slice?.body.text()).toBe('title,price\n"Emma, a novel",1.5\n,""\n');
    expect(slice).toMatchObject({ rows: [1, 2], unreadable: [], bytes: file.size });
  });

  it('is written without the lines before its header', async () => {
    const file = new Blob(['Books; 2026\n\nTitle;Price;Note\nEmma;1,5;x\n']);
    const [slice] = await all(file, { ...plan, reading: { ...CSV, headerLine: 3 } });
    expect(await slice?.body.text()).toBe('title,price\nEmma,1.5\n');
    expect(slice?.rows).toEqual([1]);
  });

  it('is cut between rows, each slice with the header', async () => {
    const rows = Array.from({ length: 30_000 }, (_, n) => `Book ${n};${n},5;-`);
    const slices = await all(new Blob([`Title;Price;Note\n${rows.join('\n')}`]), plan, 100_000);
    expect(slices.length).toBeGreaterThan(1);
    const texts = await textsOf(slices);
    for (const text of texts) expect(text).toMatch(/^title,price\nBook \d+,\d+\.5\n/);
    expect(slices.flatMap(slice => slice.rows)).toEqual(rows.map((_, index) => index + 1));
    expect(texts.join('').match(/Book/g)).toHaveLength(30_000);
  });

  it('keeps rows apart that cannot be sent, and the numbers of the others', async () => {
    const [slice] = await all(new Blob(['Title;Price;Note\na;1;x\nb;2\n"c"c;3;x\nd;4;x\n']), plan);
    expect(slice?.rows).toEqual([1, 4]);
    expect(slice?.unreadable).toEqual([
      { row: 2, problem: 'fieldCount', text: 'b,2' },
      { row: 3, problem: 'quotes', text: '"c"c;3;x' },
    ]);
  });
});

describe('a JSON file', () => {
  const reading: Reading = { ...CSV, format: 'json' };
  const file = new Blob(['[{"a": 1, "b": 12345678901234567890},\n {"c": 2}]']);

  it('becomes lines with the texts of its records', async () => {
    const targets = ['a', 'b'].map(name => ({ name, type: undefined }));
    const slices = await all(file, { reading, names: ['a', 'b'], targets });
    expect(await textsOf(slices)).toEqual(['{"a": 1, "b": 12345678901234567890}\n{"c": 2}\n']);
  });

  it('gets other names, and loses the fields that are left out', async () => {
    const targets = [{ name: 'x', type: undefined }, null];
    const slices = await all(file, { reading, names: ['a', 'b'], targets });
    expect(await textsOf(slices)).toEqual(['{"x":1}\n{"c":2}\n']);
  });
});

it('a file of 50 MB is read with a bounded amount of memory', async () => {
  const line = `${'x'.repeat(120)};1,5\n`;
  const block = line.repeat(8_192);
  const file = new Blob(['Title;Price\n', ...Array.from({ length: 50 }, () => block)]);
  expect(file.size).toBeGreaterThan(50_000_000);
  const plan: FilePlan = {
    reading: CSV,
    names: ['Title', 'Price'],
    targets: [
      { name: 'title', type: 'text' },
      { name: 'price', type: 'double' },
    ],
  };
  let rows = 0;
  let largest = 0;
  let slices = 0;
  for await (const { body, rows: numbers } of slicesOf(file, plan, 4 * 1024 * 1024)) {
    rows += numbers.length;
    slices += 1;
    largest = Math.max(largest, body.size);
  }
  expect(rows).toBe(50 * 8_192);
  expect(slices).toBeGreaterThan(10);
  expect(largest).toBeLessThan(6 * 1024 * 1024);
});
