import { describe, expect, it } from 'vitest';
import { PLANNED_EACH_TIME, render, sql } from '../../../base/sql/index.js';
import { PreparedNames } from './prepared-names.js';

const often = (names: PreparedNames, text: string) => [1, 2, 3, 4].map(() => names.of(text));

describe('the name of a prepared statement', () => {
  it('is assigned at the third use, one per text', () => {
    const names = new PreparedNames();
    const [first, second, third, fourth] = often(names, 'SELECT 1');
    expect([first, second]).toEqual([undefined, undefined]);
    expect(third).toBeTypeOf('string');
    expect(fourth).toBe(third);
    expect(often(names, 'SELECT 2').at(-1)).not.toBe(third);
  });

  it('is of this process alone', () => {
    const [one, other] = [new PreparedNames(), new PreparedNames()];
    expect(often(one, 'SELECT 1').at(-1)).not.toBe(often(other, 'SELECT 1').at(-1));
  });

  it('is not assigned to a text that is to be planned each time', () => {
    const names = new PreparedNames();
    const { text } = render(sql`SELECT ${PLANNED_EACH_TIME}1`);
    expect([...often(names, text), ...often(names, text)]).toEqual(Array(8).fill(undefined));
  });

  it('is a new one if the text was forgotten in between', () => {
    const names = new PreparedNames();
    const before = often(names, 'SELECT 0').at(-1);
    for (const round of ['a', 'b', 'c'])
      for (let n = 1; n <= 5_000; n++) often(names, `SELECT ${n} AS ${round}`);
    expect(names.of('SELECT 0')).toBeUndefined();
    expect(often(names, 'SELECT 0').at(-1)).not.toBe(before);
  });
});

describe('queries of 20,000 shapes', () => {
  it.each([1, 2, 5])('do not affect the names of texts in use, sent %d times each', times => {
    const names = new PreparedNames();
    const used = Array.from({ length: 300 }, (_, n) => `SELECT hot ${n}`);
    const before = used.map(text => often(names, text).at(-1));
    for (let n = 0; n < 20_000; n++) {
      for (let time = 0; time < times; time++) names.of(`SELECT shape ${n}`);
      if (n % 500 === 0) expect(used.map(text => names.of(text))).toEqual(before);
    }
    expect(used.map(text => names.of(text))).toEqual(before);
  });

  it('are not stored if each is sent once', () => {
    const names = new PreparedNames();
    for (let n = 0; n < 20_000; n++) names.of(`SELECT ${n}`);
    expect(names.counts.evictions).toBe(0);
  });
});

describe('a text that could not be prepared', () => {
  it('gets another name, like a new text', () => {
    const names = new PreparedNames();
    const before = often(names, 'SELECT 0').at(-1);
    names.forget('SELECT 0');
    const [first, second, third] = often(names, 'SELECT 0');
    expect([first, second]).toEqual([undefined, undefined]);
    expect(third).not.toBe(before);
  });
});

describe('a connection must be replaced', () => {
  it('when it has more than 500 prepared statements, however often each was run', () => {
    const names = new PreparedNames();
    const connection = {};
    const full = Array.from({ length: 501 }, (_, n) => names.isFull(connection, `s${n}`));
    expect(full.indexOf(true)).toBe(500);
    const other = {};
    for (let n = 0; n < 2_000; n++) expect(names.isFull(other, `s${n % 500}`)).toBe(false);
  });

  it('later if its limits are higher, as for the pipeline of small reads', () => {
    const names = new PreparedNames();
    const limits = { prepared: 600, rare: 700 };
    const [prepared, rare] = [{}, {}];
    const full = Array.from({ length: 601 }, (_, n) => names.isFull(prepared, `s${n}`, limits));
    expect(full.indexOf(true)).toBe(600);
    const fullOfRare = Array.from({ length: 701 }, () => names.isFull(rare, undefined, limits));
    expect(fullOfRare.indexOf(true)).toBe(700);
  });

  it('when it has run more than 1,000 rare statements, because each may have used another table', () => {
    const names = new PreparedNames();
    const connection = {};
    const full = Array.from({ length: 1_001 }, () => names.isFull(connection, undefined));
    expect(full.indexOf(true)).toBe(1_000);
  });
});
