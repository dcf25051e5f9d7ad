import { describe, expect, it } from 'vitest';
import { toolsOf } from '../corpus/evaluate.js';
import type { Row } from '../corpus/fixtures.js';
import { planQuestion } from './plain-questions.js';
import type { ColumnType } from './plan.js';

type Columns = Readonly<Record<string, ColumnType>>;

function planOf(name: string, types: Columns, rows: readonly Row[]) {
  const columns = Object.entries(types).map(([column, type]) => ({ name: column, type, nullable: true }));
  const outline = {
    name,
    description: null,
    columns,
    flexibleFields: [],
    samples: rows,
    rowCount: rows.length,
  };
  return async (question: string) => {
    const planned = await planQuestion(question, outline, toolsOf(rows));
    return 'plan' in planned ? planned.plan : 'refused';
  };
}

const orders = planOf(
  'orders',
  {
    customer: 'text',
    product: 'text',
    status: 'text',
    country: 'text',
    quantity: 'integer',
    unit_price: 'double',
    total_price: 'double',
    order_date: 'date',
    is_paid: 'boolean',
  },
  [
    { customer: 'Acme', product: 'laptop', status: 'shipped', country: 'France' },
    { customer: 'Globex', product: 'mouse', status: 'cancelled', country: 'Norway' },
  ],
);
const members = planOf(
  'gym_members',
  { coach: 'text', age: 'integer', joined_on: 'date', height_cm: 'integer', goals: 'array' },
  [{ coach: 'Sam', goals: ['cardio', 'strength'] }],
);
const sales = planOf('sales', { seller: 'text', store: 'text', amount: 'double', units: 'integer' }, [
  { seller: 'Ana', store: 'A1' },
]);

describe('an ambiguous question', () => {
  it.each([
    ['How many orders are not paid and not cancelled?', { is_paid: false, status: { $ne: 'cancelled' } }],
    ['How many orders are paid but not shipped?', { is_paid: true, status: { $ne: 'shipped' } }],
    ['Combien de commandes payées et pas annulées ?', { is_paid: true, status: { $ne: 'cancelled' } }],
  ])('keeps the "not" of each condition: %s', async (question, filter) => {
    expect(await orders(question)).toEqual({ operation: 'count', filter });
  });

  it.each([
    'Which customers have not ordered since 2025?',
    'Which customers are not in France?',
    'How many customers have not paid?',
    'Which customers only have laptops?',
    'Which customers have orders in France and Norway?',
  ])('is refused if single records cannot answer for all records of a person: %s', async question => {
    expect(await orders(question)).toBe('refused');
  });

  it.each([
    'Largest order by total price per customer',
    'The 3 orders with the highest total price per customer',
    'Which product has the most orders per country?',
    'countries with more than 20 orders and total price above 1000',
  ])('is refused if it ranks the records of each group in another way: %s', async question => {
    expect(await orders(question)).toBe('refused');
  });

  it('does not sum where it asks for the largest record of each group', async () => {
    expect(await sales('largest sale by store')).toBe('refused');
    expect(await sales('the 2 smallest sales of each store')).toBe('refused');
  });

  it('gives a month without a year the year of the month after it', async () => {
    const [january, march] = [
      { $gte: '2025-01-01', $lt: '2025-02-01' },
      { $gte: '2025-03-01', $lt: '2025-04-01' },
    ];
    expect(await orders('How many orders in January or March 2025?')).toEqual({
      operation: 'count',
      filter: { $or: [{ order_date: january }, { order_date: march }] },
    });
    const asked = ['More orders in January or March 2025?', 'orders in January vs March 2025'];
    for (const question of [...asked, 'Comparer les commandes en janvier et en mars 2025']) {
      expect(await orders(question), question).toMatchObject({
        by: 'compared',
        reads: [
          { name: '2025-01', plan: { filter: { order_date: january } } },
          { name: '2025-03', plan: { filter: { order_date: march } } },
        ],
      });
    }
    expect(await orders('How many orders on 28 February or 5 March 2025?')).toMatchObject({
      filter: {
        $or: [
          { order_date: { $gte: '2025-02-28', $lt: '2025-03-01' } },
          { order_date: { $gte: '2025-03-05', $lt: '2025-03-06' } },
        ],
      },
    });
    // Questions about two things, each with its own condition.
    const joined = await members('members joined on after March and created before 1 May 2025');
    expect(joined).toMatchObject({
      filter: { joined_on: { $gte: '2026-04-01' }, created_at: { $lt: '2025-05-01' } },
    });
    expect(await orders('How many orders between November and February 2025?')).toMatchObject({
      filter: { order_date: { $gte: '2024-11-01', $lt: '2025-03-01' } },
    });
  });

  it.each([
    'orders in December vs January 2025',
    'orders in March 2025 vs January',
    'How many orders between March 2025 and June?',
    'How many orders in December or January 2025?',
    'How many orders on 30 February 2025?',
    'How many orders on 14 March 25?',
  ])('is refused if the year of a month is unclear: %s', async question => {
    expect(await orders(question)).toBe('refused');
  });

  it('only says that there are no records in a period without records', async () => {
    const outline = {
      ...{ name: 'orders', description: null, flexibleFields: [], samples: [], rowCount: 1 },
      columns: [{ name: 'order_date', type: 'date', nullable: true } as const],
    };
    const refusal = async (...rows: Row[]) =>
      planQuestion('Orders per month since 2025', outline, toolsOf(rows));
    expect(await refusal({ order_date: '2024-01-05' })).toEqual({
      refusal: 'No record has a date in `order_date` at that time.',
    });
    expect(await refusal({ order_date: null })).toEqual({ refusal: 'No record has a date in `order_date`.' });
  });

  it('is refused if an amount can be compared in each record or added up for each month', async () => {
    expect(await orders('Total price per month in 2025 with total price over 100')).toBe('refused');
    expect(await orders('Total price of orders per quarter in 2025 with total price over 100')).toMatchObject(
      {
        by: 'quarter',
        reads: expect.arrayContaining([
          {
            name: '2025-Q1',
            plan: expect.objectContaining({
              filter: { total_price: { $gt: 100 }, order_date: { $gte: '2025-01-01', $lt: '2025-04-01' } },
            }),
          },
        ]),
      },
    );
  });

  it('is refused if it can mean several prices', async () => {
    expect(await orders('What is the average price?')).toBe('refused');
    expect(await orders('price of a laptop')).toBe('refused');
    expect(await orders('What is the average unit price?')).toMatchObject({
      steps: [{ type: 'avg', input_field: 'unit_price' }],
    });
    expect(await orders('total price by country')).toMatchObject({
      steps: [{ type: 'sum', input_field: 'total_price' }],
    });
  });

  it('reads "service" as a department only in French', async () => {
    const shipments = planOf('shipments', { service: 'text' }, [{ service: 'express' }]);
    expect(await shipments('How many shipments by department?')).toBe('refused');
    expect(await shipments('How many shipments by service?')).toMatchObject({ group_by: 'service' });
    const staff = planOf('employees', { department: 'text' }, [{ department: 'IT' }]);
    expect(await staff("Combien d'employés par service ?")).toMatchObject({ group_by: 'department' });
  });

  it('ranks "the oldest" of people by their age, not by a date', async () => {
    expect(await members('Who is the oldest member?')).toBe('refused');
    expect(await members('Who is the newest member?')).toMatchObject({ sort: { joined_on: -1 } });
  });

  it('reads a number as a whole, or not at all', async () => {
    expect(await orders('orders with a quantity over .5')).toBe('refused');
    expect(await orders('orders with a unit price over 1.500')).toBe('refused');
    expect(await orders('orders with a unit price over 1.5')).toMatchObject({
      filter: { unit_price: { $gt: 1.5 } },
    });
    expect(await members('How many members with a height over 1.7 m?')).toBe('refused');
    expect(await orders('orders with a total price over $2m')).toMatchObject({
      filter: { total_price: { $gt: 2_000_000 } },
    });
  });

  it('distinguishes "without" a given value from without any value', async () => {
    expect(await members('How many members without the goal cardio?')).toEqual({
      operation: 'count',
      filter: { goals: { $ne: 'cardio' } },
    });
    expect(await members('How many members without goals?')).toEqual({
      operation: 'count',
      filter: { goals: { $in: [null, []] } },
    });
  });

  it('does not divide a figure by units, and does not count records for money', async () => {
    for (const question of ['average amount per unit', 'amount per unit', 'total sales', 'sales by seller'])
      expect([question, await sales(question)]).toEqual([question, 'refused']);
    expect(await sales('How many sales by seller?')).toMatchObject({ steps: [{ type: 'count' }] });
    expect(await sales('total amount by seller')).toMatchObject({
      steps: [{ type: 'sum', input_field: 'amount' }],
    });
  });

  it('does not read "the last year" as a calendar year', async () => {
    expect(await orders('How many orders in the last year?')).toBe('refused');
    expect(await orders('Combien de commandes au cours du dernier mois ?')).toBe('refused');
    expect(await orders('Combien de commandes le mois dernier ?')).toMatchObject({
      filter: { order_date: { $gte: '2026-05-01', $lt: '2026-06-01' } },
    });
    expect(await orders('How many orders in the past month?')).toMatchObject({
      filter: { order_date: { $gte: '2026-05-18', $lt: '2026-06-18' } },
    });
    expect(await orders('How many orders last year?')).toMatchObject({
      filter: { order_date: { $gte: '2025-01-01', $lt: '2026-01-01' } },
    });
  });
});

describe('a question about values that could not be read in time', () => {
  const columns = ['customer', 'country'].map(name => ({ name, type: 'text' as const, nullable: true }));
  const outline = {
    name: 'orders',
    description: null,
    columns,
    flexibleFields: [],
    samples: [],
    rowCount: 2,
  };
  const tools = toolsOf([{ customer: 'Acme', country: 'France' }]);
  const slow = {
    ...tools,
    knownValues: async (field: string, limit: number) =>
      field === 'country' ? undefined : tools.knownValues(field, limit),
  };
  const ask = (question: string) => planQuestion(question, outline, slow);

  it.each([
    ['How many orders in France?', 'The values of `country` could not be read in time'],
    ['Combien de commandes en France ?', "Les valeurs de `country` n'ont pas pu être lues à temps"],
  ])('is refused with that reason: %s', async (question, reason) => {
    expect(await ask(question)).toEqual({ refusal: expect.stringContaining(reason) });
  });

  it('is answered when it needs none of them, and when it quotes the value', async () => {
    expect(await ask('How many orders of Acme?')).toMatchObject({ plan: { filter: { customer: 'Acme' } } });
    const quoted = await ask('How many orders with country "France"?');
    expect(quoted).toMatchObject({ plan: { filter: { country: 'France' } } });
  });
});
