import {
  type Plan,
  planQuestion,
  type Read,
  type ReadData,
  tableOf,
} from '@typed-collections/plain-questions';
import { beforeAll, describe, expect, it } from 'vitest';
import { CUSTOMER_QUESTIONS } from '../../../packages/plain-questions/corpus/asked/customers.js';
import { EMPLOYEE_QUESTIONS } from '../../../packages/plain-questions/corpus/asked/employees.js';
import { INCIDENT_QUESTIONS } from '../../../packages/plain-questions/corpus/asked/incidents.js';
import { ORDER_QUESTIONS } from '../../../packages/plain-questions/corpus/asked/orders.js';
import { ANSWERED_TABLES } from '../../../packages/plain-questions/corpus/asked/tables.js';
import { evaluate, toolsOf } from '../../../packages/plain-questions/corpus/evaluate.js';
import {
  CUSTOMERS,
  EMPLOYEES,
  type Fixture,
  INCIDENTS,
  ORDERS,
  type Row,
} from '../../../packages/plain-questions/corpus/fixtures.js';
import type { Case } from '../../../packages/plain-questions/corpus/plans.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';

const TABLES: readonly (readonly [string, Fixture, readonly Case[]])[] = [
  ['orders', ORDERS, ORDER_QUESTIONS],
  ['employees', EMPLOYEES, EMPLOYEE_QUESTIONS],
  ['incidents', INCIDENTS, INCIDENT_QUESTIONS],
  ['customers', CUSTOMERS, CUSTOMER_QUESTIONS],
];

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

/** The rows as a client stores them: the service gives system fields of its own. */
function stored({ _id, created_at, updated_at, ...fields }: Row): Row {
  return fields;
}

async function kept({ outline, rows }: Fixture): Promise<TestCollection> {
  const properties = Object.fromEntries(outline.columns.map(({ name, type }) => [name, { type }]));
  const collection = await newCollection(app, home, { properties });
  await insert(app, collection, ...rows.map(stored));
  return collection;
}

/** A plan sent to the operation that it names, and several to theirs. */
async function sent(collection: TestCollection, plan: Plan) {
  if (plan.operation !== 'several') return sentOne(collection, plan);
  const answers = [];
  for (const read of plan.reads) answers.push(await sentOne(collection, read.plan));
  const failed = answers.find(({ status }) => status !== 200);
  return (
    failed ?? {
      status: 200,
      body: {
        ...tableOf(
          plan,
          answers.map(({ body }) => body as ReadData),
        ),
      },
    }
  );
}

async function sentOne({ data, owner }: TestCollection, { operation, ...body }: Read) {
  const text = (value: unknown) =>
    encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  const query = Object.entries(body).map(([name, value]) => `${name}=${text(value)}`);
  if (operation === 'query') return app.request('POST', `${data}/query`, { ...owner, body });
  if (operation === 'aggregate') return app.request('POST', `${data}/aggregate`, { ...owner, body });
  return app.request('GET', `${data}/${operation}?${query.join('&')}`, owner);
}

/** The content of an answer, without what the order of equals and the last digit of a double make of it. */
function comparable(plan: Plan, { records, results, values, count }: Record<string, unknown>): unknown {
  const rounded = (row: Row) =>
    JSON.stringify(
      Object.entries(stored(row))
        .map(([name, value]) => [name, typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value])
        .filter(([, value]) => value !== null)
        .sort(),
    );
  const rows = ((records ?? results) as Row[] | undefined)?.map(rounded);
  return {
    count: results === undefined ? count : undefined,
    values,
    rows: plan.operation === 'query' ? rows : rows?.sort(),
  };
}

describe.each([...TABLES, ...ANSWERED_TABLES])('plans for questions about %s', (_, fixture, cases) => {
  it('give through the API what they give by the manual', async () => {
    const collection = await kept(fixture);
    let run = 0;
    for (const [question] of cases) {
      const planned = await planQuestion(question, fixture.outline, toolsOf(fixture.rows));
      if ('refusal' in planned) continue;
      const { status, body } = await sent(collection, planned.plan);
      const expected = evaluate(planned.plan, fixture.rows);
      expect([status, comparable(planned.plan, body)], question).toEqual([
        200,
        comparable(planned.plan, { ...expected }),
      ]);
      run += 1;
    }
    expect(run).toBeGreaterThan(cases.length / 4);
  });
});
