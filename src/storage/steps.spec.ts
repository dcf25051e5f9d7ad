import { describe, expect, it } from 'vitest';
import { numbered, stepsOf } from './steps.js';

const ORG = `org_${'0'.repeat(32)}`;

describe('the steps of a statement', () => {
  const text = `
    WITH fence AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1 AND name <> ')('),
    input AS (SELECT r.* FROM fence, jsonb_to_recordset($2) AS r(_id uuid, "(" text)),
    written AS (INSERT INTO ${ORG}.c SELECT input._id FROM input RETURNING _id),
    event AS (INSERT INTO ${ORG}.audit_events SELECT $3 FROM written HAVING count(*) > 0)
    SELECT (SELECT count(*) FROM fence) AS fences, (SELECT count(*) FROM written) AS written`;

  it('are its CTEs, then what is behind them, each with those before it that it reads', () => {
    expect(stepsOf(text).map(({ name, uses }) => [name, uses])).toEqual([
      ['fence', []],
      ['input', ['fence']],
      ['written', ['input']],
      ['event', ['written']],
      [undefined, ['fence', 'written']],
    ]);
  });

  it('touch tables, or compute from parameters and other steps alone', () => {
    const touching = stepsOf(text).filter(({ touches }) => touches);
    expect(touching.map(({ name }) => name)).toEqual(['fence', 'written', 'event']);
  });

  it('have the text between their parentheses, whatever is quoted there', () => {
    const [fence, input] = stepsOf(text);
    expect(fence?.text).toBe(`SELECT 1 FROM public.collections WHERE id = $1 AND name <> ')('`);
    expect(input?.text).toMatch(/"\(" text\)$/);
  });
});

it('numbers the parameters of a part without gaps, one for each that is used', () => {
  expect(numbered('SELECT $3, $1, $3', ['a', 'b', 'c'])).toEqual({
    text: 'SELECT $1, $2, $1',
    values: ['c', 'a'],
  });
});
