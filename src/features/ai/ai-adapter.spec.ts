import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { jsonIn, tablesOf } from '../../../test/conformance/examples.js';
import { CUSTOMER_QUESTIONS } from '../../../test/conformance/questions/asked/customers.js';
import { EMPLOYEE_QUESTIONS } from '../../../test/conformance/questions/asked/employees.js';
import { INCIDENT_QUESTIONS } from '../../../test/conformance/questions/asked/incidents.js';
import { ORDER_QUESTIONS } from '../../../test/conformance/questions/asked/orders.js';
import { evaluate, sameFigures, toolsOf } from '../../../test/conformance/questions/evaluate.js';
import {
  CUSTOMERS,
  EMPLOYEES,
  type Fixture,
  INCIDENTS,
  ORDERS,
} from '../../../test/conformance/questions/fixtures.js';
import type { Case } from '../../../test/conformance/questions/plans.js';
import { BuiltinQuestions } from './ai-adapter.js';

const TABLES: readonly (readonly [name: string, fixture: Fixture, cases: readonly Case[]])[] = [
  ['orders', ORDERS, ORDER_QUESTIONS],
  ['employees', EMPLOYEES, EMPLOYEE_QUESTIONS],
  ['incidents', INCIDENTS, INCIDENT_QUESTIONS],
  ['customers', CUSTOMERS, CUSTOMER_QUESTIONS],
];

type Verdict = 'as expected' | 'refused for nothing' | 'wrong';

const planner = new BuiltinQuestions();

async function verdict({ outline, rows }: Fixture, [question, expected]: Case): Promise<Verdict> {
  const planned = await planner.plan(question, outline, toolsOf(rows));
  if ('refusal' in planned) return expected === 'refused' ? 'as expected' : 'refused for nothing';
  return expected !== 'refused' && sameFigures(planned.plan, expected, rows) ? 'as expected' : 'wrong';
}

describe.each(TABLES)('questions about %s', (name, fixture, cases) => {
  it('are answered as the table states in nine of ten cases, and never with a wrong figure', async () => {
    const verdicts = new Map<string, Verdict>();
    for (const each of cases) verdicts.set(each[0], await verdict(fixture, each));
    const are = (wanted: Verdict) =>
      [...verdicts].filter(([, is]) => is === wanted).map(([question]) => question);
    const passed = are('as expected').length;
    const refused = are('refused for nothing').map(question => `\n  refused for nothing: ${question}`);
    process.stdout.write(
      `questions about ${name}: ${passed} of ${cases.length} as expected${refused.join('')}\n`,
    );
    expect(are('wrong')).toEqual([]);
    expect(verdicts.size).toBe(cases.length);
    expect(passed / cases.length).toBeGreaterThanOrEqual(0.9);
  });

  it('get a sentence in which every figure is in the data', async () => {
    for (const [question] of cases) {
      const planned = await planner.plan(question, fixture.outline, toolsOf(fixture.rows));
      if ('refusal' in planned) continue;
      const data = evaluate(planned.plan, fixture.rows);
      const [, sentence, days] = /^(.*?)(?: \((.*, UTC)\))?\.$/s.exec(planned.say(data))!;
      // A sentence states computed figures with 15 significant digits.
      const rounded = (_: string, value: unknown) =>
        typeof value === 'number' ? Number(value.toPrecision(15)) : value;
      const shown = JSON.stringify(data) + JSON.stringify(data, rounded);
      // The plan shows the dates used for "last month".
      for (const [day] of days?.matchAll(/\d{4}-\d{2}-01/g) ?? [])
        expect(JSON.stringify(planned.plan)).toContain(day);
      for (const [figure] of sentence!.matchAll(/(?<![\w.-])\d+(?:\.\d+)?/g)) {
        expect(shown.includes(figure), `${question}: ${sentence}`).toBe(true);
      }
    }
  });
});

describe('docs/questions.md', async () => {
  const tables = tablesOf(await readFile('docs/questions.md', 'utf8'));
  const rowsOf = (second: string) =>
    tables.filter(({ header }) => header[1] === second).flatMap(({ rows }) => rows);
  const ask = (question: string) => planner.plan(question, ORDERS.outline, toolsOf(ORDERS.rows));

  it.each(rowsOf('answers "%s" as the page states') as [string, string][])(
    'answers "%s" as the page says',
    async (question, plan) => {
      expect(await ask(question)).toEqual({ plan: jsonIn(plan), say: expect.any(Function) });
    },
  );

  it.each(rowsOf('Because') as [string, string][])('refuses "%s"', async question => {
    expect(await ask(question)).toEqual({ refusal: expect.any(String) });
  });
});
