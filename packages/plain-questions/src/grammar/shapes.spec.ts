import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../corpus/evaluate.js';
import { ORDERS } from '../../corpus/fixtures.js';
import { SHIPMENTS } from '../../corpus/other-fixtures.js';
import { planQuestion } from '../plain-questions.js';
import { SHAPES } from './shapes.js';

type Row = [shape: string, example: string, means: (...found: unknown[]) => unknown];

/** Asks the example of a row. Returns the plan, and what the function of the row received. */
async function asked(row: Row) {
  const [, example, means] = row;
  const { outline, rows } = /shipment|ship to/.test(example) ? SHIPMENTS : ORDERS;
  const said: unknown[] = [];
  row[2] = (...found) => {
    const result = means(...found);
    said.push(result);
    return result;
  };
  try {
    return { planned: await planQuestion(example, outline, toolsOf(rows)), said };
  } finally {
    row[2] = means;
  }
}

describe.each(Object.entries(SHAPES))('a shape of the part "%s"', (part, rows: readonly unknown[]) => {
  const isAct = part === 'asking' || part === 'naming';

  it.each(rows as Row[])('%s reads its example: %s', async (...row) => {
    const index = (rows as Row[]).findIndex(([shape]) => shape === row[0]);
    const { planned, said } = await asked(rows[index] as Row);
    if (row[0] === '@unsupported') return expect(planned).toHaveProperty('refusal');
    expect(planned).toHaveProperty('plan');
    return expect(said.some(result => result !== (isAct ? false : undefined))).toBe(true);
  });
});
