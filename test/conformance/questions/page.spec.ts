import { readFile } from 'node:fs/promises';
import { planQuestion } from '@typed-collections/plain-questions';
import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../../packages/plain-questions/corpus/evaluate.js';
import { ORDERS } from '../../../packages/plain-questions/corpus/fixtures.js';
import { jsonIn, tablesOf } from '../examples.js';

describe('docs/questions.md', async () => {
  const tables = tablesOf(await readFile('docs/questions.md', 'utf8'));
  const rowsOf = (second: string) =>
    tables.filter(({ header }) => header[1] === second).flatMap(({ rows }) => rows);
  const ask = (question: string) => planQuestion(question, ORDERS.outline, toolsOf(ORDERS.rows));

  it.each(rowsOf('answers "%s" as the page states') as [string, string][])(
    'answers "%s" as the page says',
    async (question, plan) => {
      expect(await ask(question)).toEqual({ plan: jsonIn(plan) });
    },
  );

  it.each(rowsOf('Because') as [string, string][])('refuses "%s"', async question => {
    expect(await ask(question)).toEqual({ refusal: expect.any(String) });
  });
});
