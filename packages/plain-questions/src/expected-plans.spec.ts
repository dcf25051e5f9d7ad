import { describe, expect, it } from 'vitest';
import { CUSTOMER_QUESTIONS } from '../corpus/asked/customers.js';
import { EMPLOYEE_QUESTIONS } from '../corpus/asked/employees.js';
import { INCIDENT_QUESTIONS } from '../corpus/asked/incidents.js';
import { ORDER_QUESTIONS } from '../corpus/asked/orders.js';
import { evaluate, sameFigures, toolsOf } from '../corpus/evaluate.js';
import { CUSTOMERS, EMPLOYEES, type Fixture, INCIDENTS, ORDERS } from '../corpus/fixtures.js';
import type { Case } from '../corpus/plans.js';
import { planQuestion, sayPlan } from './index.js';

const TABLES: readonly (readonly [name: string, fixture: Fixture, cases: readonly Case[]])[] = [
  ['orders', ORDERS, ORDER_QUESTIONS],
  ['employees', EMPLOYEES, EMPLOYEE_QUESTIONS],
  ['incidents', INCIDENTS, INCIDENT_QUESTIONS],
  ['customers', CUSTOMERS, CUSTOMER_QUESTIONS],
];

type Verdict = 'as expected' | 'refused for nothing' | 'wrong';

type Planned = ReturnType<typeof planQuestion>;

async function verdict(planning: Planned, { rows }: Fixture, expected: Case[1]): Promise<Verdict> {
  const planned = await planning;
  if ('refusal' in planned) return expected === 'refused' ? 'as expected' : 'refused for nothing';
  return expected !== 'refused' && sameFigures(planned.plan, expected, rows) ? 'as expected' : 'wrong';
}

describe.each(TABLES)('questions about %s', (name, fixture, cases) => {
  const plans = new Map<string, Planned>();
  /** Planned once for all tests. */
  const plan = (question: string): Planned => {
    const known = plans.get(question) ?? planQuestion(question, fixture.outline, toolsOf(fixture.rows));
    plans.set(question, known);
    return known;
  };

  it('are answered as the table states in nine of ten cases, and never with a wrong figure', async () => {
    const verdicts = new Map<string, Verdict>();
    for (const [question, expected] of cases)
      verdicts.set(question, await verdict(plan(question), fixture, expected));
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
      const planned = await plan(question);
      if ('refusal' in planned) continue;
      const data = evaluate(planned.plan, fixture.rows);
      const [, sentence, days] = /^(.*?)(?: \((.*, UTC)\))?\.$/s.exec(sayPlan(question, planned.plan)(data))!;
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
