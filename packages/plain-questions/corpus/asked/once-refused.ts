import {
  type Asked,
  and,
  averaged,
  best,
  by,
  counted,
  ids,
  is,
  months,
  rowsOf,
  shareOf,
  within,
} from '../expected-answers.js';

/** Of the first tables: what one read cannot tell. */
export const MORE_ORDER_QUESTIONS: readonly Asked[] = [
  ['How many orders per month in 2025?', months('order_date', 2025, counted)],
  ['What percentage of orders is cancelled?', shareOf(counted(is('status', 'cancelled')), counted())],
  [
    'What did Globex buy last month?',
    ids(and(is('customer', 'Globex'), within('order_date', '2026-05-01', '2026-06-01'))),
  ],
  ['What did Alice Martin buy last month?', 'refused'],
  ['how many orders shipped vs delivered in 2025?', 'refused'],
  ['orders with more urgent than fragile tags', 'refused'],
  ['orders shipped per month in 2025', months('shipped_at', 2025, counted)],
];

export const MORE_EMPLOYEE_QUESTIONS: readonly Asked[] = [
  ["Quel pourcentage d'employés est actif ?", shareOf(counted(is('active', true)), counted())],
  [
    'What is the average salary for permanent contracts vs freelance?',
    rowsOf(
      { permanent: is('contract_type', 'permanent'), freelance: is('contract_type', 'freelance') },
      test => averaged('salary', test),
    ),
  ],
];

export const MORE_INCIDENT_QUESTIONS: readonly Asked[] = [
  [
    'incidents opened per year',
    rowsOf(
      Object.fromEntries(
        [2024, 2025, 2026].map(year => [
          String(year),
          within('opened_at', `${year}-01-01`, `${year + 1}-01-01`),
        ]),
      ),
      counted,
    ),
  ],
  [
    'Which service has the most critical incidents?',
    best(1, by('service', counted(), is('severity', 'critical'))),
  ],
];
