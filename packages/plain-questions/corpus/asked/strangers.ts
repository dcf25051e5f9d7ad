import {
  type Asked,
  and,
  averaged,
  best,
  by,
  counted,
  different,
  highest,
  ids,
  is,
  lowest,
  months,
  placed,
  rowsOf,
  shareOf,
  summed,
  within,
} from '../expected-answers.js';
import type { Row } from '../fixtures.js';

/** Questions as people ask them who know the data and not the rules. */

const not =
  (test: (row: Row) => unknown) =>
  (row: Row): boolean =>
    !test(row);
const ordered = (start: string, end: string) => within('placed_on', start, end);
const amount = (test: (row: Row) => unknown) => summed('amount', test);
const MAY = ordered('2026-05-01', '2026-06-01');
const APRIL = ordered('2026-04-01', '2026-05-01');
const IN_2025 = ordered('2025-01-01', '2026-01-01');

export const SHOP_STRANGERS: readonly Asked[] = [
  ['What was our revenue last month?', amount(MAY)],
  ['how many orders did we get in May', counted(MAY)],
  ['show me sales by month for 2025', months('placed_on', 2025, amount)],
  ['How many orders per month since January 2026?', months('placed_on', 2026, counted, 1, 6)],
  [
    'How many orders are unpaid per month in 2026?',
    months('placed_on', 2026, test => counted(and(test, is('is_paid', false)))),
  ],
  ['items sold per month in 2025', months('placed_on', 2025, test => summed('quantity', test))],
  ["Quel est le chiffre d'affaires par mois en 2025 ?", months('placed_on', 2025, amount)],
  [
    'Commandes annulées par mois en 2025',
    months('placed_on', 2025, test => counted(and(test, is('status', 'cancelled')))),
  ],
  ['yearly revenue', rowsOf({ '2025': IN_2025, '2026': ordered('2026-01-01', '2027-01-01') }, amount)],
  ['What was our best month in 2025?', 'refused'],
  ['Revenue per month and country in 2025', 'refused'],
  ['How did revenue develop over 2025?', 'refused'],
  ['how many orders per year on average', 'refused'],
  ['maximum orders per month', 'refused'],
  ['highest monthly revenue in 2025', 'refused'],
  ['how many different customers per month in 2025', 'refused'],
  ['customers with more than 5 orders per month', 'refused'],
  ['orders per month not in 2025', 'refused'],
  ['first 10 orders per month', 'refused'],
  ['orders per month in 2025 or in France', 'refused'],
  [
    'What percentage of our revenue comes from France?',
    shareOf(amount(is('country', 'France')), summed('amount')),
  ],
  [
    'what percent of web orders are cancelled?',
    shareOf(counted(and(is('channel', 'web'), is('status', 'cancelled'))), counted(is('channel', 'web'))),
  ],
  ["What's the share of unpaid orders?", shareOf(counted(is('is_paid', false)), counted())],
  ['what share of orders is not paid?', shareOf(counted(is('is_paid', false)), counted())],
  ['How many percent of the orders were returned?', shareOf(counted(is('status', 'returned')), counted())],
  [
    'what percentage of orders is paid or cancelled?',
    shareOf(
      counted(row => row.is_paid === true || row.status === 'cancelled'),
      counted(),
    ),
  ],
  [
    'what share of quantity was sold in France?',
    shareOf(summed('quantity', is('country', 'France')), summed('quantity')),
  ],
  ['quelle part des commandes vient du web ?', shareOf(counted(is('channel', 'web')), counted())],
  ['What percentage of orders was returned last month?', 'refused'],
  ['what percentage of orders in France is paid or cancelled?', 'refused'],
  ['share of average amount', 'refused'],
  ['return rate', 'refused'],
  ['which channel has the highest return rate', 'refused'],
  [
    'Is the average amount of phone orders higher than that of web orders?',
    rowsOf({ phone: is('channel', 'phone'), web: is('channel', 'web') }, test => averaged('amount', test)),
  ],
  [
    'How many more orders did we have in May than in April?',
    rowsOf({ '2026-05': MAY, '2026-04': APRIL }, counted),
  ],
  ['difference in revenue between May and April', rowsOf({ '2026-05': MAY, '2026-04': APRIL }, amount)],
  [
    'more paid or unpaid orders?',
    rowsOf({ paid: is('is_paid', true), unpaid: is('is_paid', false) }, counted),
  ],
  [
    'units sold in May vs April',
    rowsOf({ '2026-05': MAY, '2026-04': APRIL }, test => summed('quantity', test)),
  ],
  ['Plus de commandes en mai ou en avril ?', rowsOf({ '2026-05': MAY, '2026-04': APRIL }, counted)],
  ['Ada vs Bela', 'refused'],
  ['show more orders from France or Norway', 'refused'],
  ['maximum amount of lamps cheaper than desks', 'refused'],
  ['What is the average amount of orders larger than web orders?', 'refused'],
  ['which customers have more orders than Ada?', 'refused'],
  ['Are there more open orders in France than in Norway or Kenya?', 'refused'],
  ['Does Ada order more than Bela?', 'refused'],
  [
    'who bought lamps in 2026 in Kenya?',
    different(
      'customer',
      and(is('product', 'lamp'), is('country', 'Kenya'), ordered('2026-01-01', '2027-01-01')),
    ),
  ],
  ['what did we sell in March?', ids(ordered('2026-03-01', '2026-04-01'))],
  ['Who are our top 3 customers by revenue?', best(3, by('customer', summed('amount')))],
  [
    'Which customers have placed more than 15 orders?',
    rows =>
      Object.fromEntries(
        Object.entries(by('customer', counted())(rows)).filter(([, found]) => (found as number) > 15),
      ),
  ],
  ['Which channel brings in the most revenue?', best(1, by('channel', summed('amount')))],
  ['orders sold by Ada', 'refused'],
  ["Which customers didn't buy a lamp?", 'refused'],
  ['Which product is bought most often?', 'refused'],
  ['Who spent more, Ada or Bela?', 'refused'],
  ['customers over 300 euros', 'refused'],
  ['all but cancelled orders', ids(not(is('status', 'cancelled')))],
  ['orders not shipped yet', ids(not(is('status', 'shipped')))],
  ['orders with quantity 3 or 4', ids(is('quantity', 3, 4))],
  ['orders with quantity 3 or 4 or more', ids(row => (row.quantity as number) >= 3)],
  [
    'the third cheapest order in 2025',
    rows => placed(3, (a, b) => (a.amount as number) - (b.amount as number))(rows.filter(IN_2025)),
  ],
  ['orders until yesterday', ids(row => String(row.placed_on) < '2026-06-17')],
  ['average order value by channel', by('channel', averaged('amount'))],
];

const out = (start: string, end: string) => within('published_on', start, end);

export const BOOK_STRANGERS: readonly Asked[] = [
  ['How many novels do we have per language?', by('language', counted(), is('genre', 'novel'))],
  ['who wrote most books in Danish?', best(1, by('author', counted(), is('language', 'Danish')))],
  [
    'average price of novels vs essays',
    rowsOf({ novel: is('genre', 'novel'), essay: is('genre', 'essay') }, test => averaged('price', test)),
  ],
  [
    'is the average price of crime books higher than that of novels?',
    rowsOf({ crime: is('genre', 'crime'), novel: is('genre', 'novel') }, test => averaged('price', test)),
  ],
  [
    'do we have more novels than essays?',
    rowsOf({ novel: is('genre', 'novel'), essay: is('genre', 'essay') }, counted),
  ],
  ['share of books by Mara Lind', shareOf(counted(is('author', 'Mara Lind')), counted())],
  [
    'how many books by Mara Lind were published in the last 3 years?',
    counted(and(is('author', 'Mara Lind'), out('2023-06-18', '2026-06-18'))),
  ],
  [
    'what is the average rating of books published in 2024?',
    averaged('rating', out('2024-01-01', '2025-01-01')),
  ],
  ['books published between 2018 and 2020', ids(out('2018-01-01', '2021-01-01'))],
  ['Quel auteur a écrit le plus de livres ?', best(1, by('author', counted()))],
  ['prix moyen des livres par genre', by('genre', averaged('price'))],
  [
    'books under 10 euros or over 600 pages',
    ids(row => (row.price as number) < 10 || (row.pages as number) > 600),
  ],
  ['longest novel', 'refused'],
  ['which author wrote the longest book?', 'refused'],
  ['cheap books', 'refused'],
  ['books for children', 'refused'],
  ['number of books per decade', 'refused'],
];

const hired = (start: string, end: string) => within('hired_on', start, end);

export const STAFF_STRANGERS: readonly Asked[] = [
  ['how many people joined us last year?', counted(hired('2025-01-01', '2026-01-01'))],
  ['hires per month in 2025', months('hired_on', 2025, counted)],
  [
    'how many seniors were hired per quarter in 2024?',
    rowsOf(
      {
        '2024-Q1': hired('2024-01-01', '2024-04-01'),
        '2024-Q2': hired('2024-04-01', '2024-07-01'),
        '2024-Q3': hired('2024-07-01', '2024-10-01'),
        '2024-Q4': hired('2024-10-01', '2025-01-01'),
      },
      test => counted(and(test, is('level', 'senior'))),
    ),
  ],
  ['what percentage of staff work in Oslo?', shareOf(counted(is('office', 'Oslo')), counted())],
  [
    'what percentage of seniors is remote?',
    shareOf(counted(and(is('level', 'senior'), is('remote', true))), counted(is('level', 'senior'))),
  ],
  [
    'what share of employees has left?',
    shareOf(
      counted(row => row.left_on !== null),
      counted(),
    ),
  ],
  ['how many employees have not left yet?', counted(is('left_on', null))],
  ['who joined in the last 6 months?', ids(hired('2025-12-18', '2026-06-18'))],
  [
    'who earns between 50k and 60k?',
    ids(row => (row.salary as number) >= 50_000 && (row.salary as number) <= 60_000),
  ],
  ['second highest paid employee', placed(2, (a, b) => (b.salary as number) - (a.salary as number))],
  [
    'compare average salary of Legal and Support',
    rowsOf({ Legal: is('team', 'Legal'), Support: is('team', 'Support') }, test => averaged('salary', test)),
  ],
  ['Quelle est la part des salariés à Oslo ?', shareOf(counted(is('office', 'Oslo')), counted())],
  ['share of women', 'refused'],
  ['are seniors better paid than juniors?', 'refused'],
  ['average tenure', 'refused'],
  ['payroll by team this year', 'refused'],
];

const measured = (start: string, end: string) => within('measured_at', start, end);
const SPRING = {
  '2026-03': measured('2026-03-01', '2026-04-01'),
  '2026-04': measured('2026-04-01', '2026-05-01'),
  '2026-05': measured('2026-05-01', '2026-06-01'),
  '2026-06': measured('2026-06-01', '2026-07-01'),
};

export const READING_STRANGERS: readonly Asked[] = [
  ['readings per month', rowsOf(SPRING, counted)],
  ['température moyenne par mois', rowsOf(SPRING, test => averaged('temperature', test))],
  ['how many readings per sensor yesterday?', by('sensor', counted(), measured('2026-06-16', '2026-06-17'))],
  ['which sensor measured the highest temperature?', best(1, by('sensor', highest('temperature')))],
  [
    'average humidity on the roof vs in the cellar',
    rowsOf({ roof: is('site', 'roof'), cellar: is('site', 'cellar') }, test => averaged('humidity', test)),
  ],
  [
    'share of fault readings in May 2026',
    shareOf(counted(and(is('state', 'fault'), SPRING['2026-05'])), counted(SPRING['2026-05'])),
  ],
  [
    'did S1 have more faults than S2?',
    rowsOf(
      {
        S1: and(is('sensor', 'S1'), is('state', 'fault')),
        S2: and(is('sensor', 'S2'), is('state', 'fault')),
      },
      counted,
    ),
  ],
  [
    'is the average temperature higher in May than in April?',
    rowsOf({ '2026-05': SPRING['2026-05'], '2026-04': SPRING['2026-04'] }, test =>
      averaged('temperature', test),
    ),
  ],
  ['lowest humidity last week', lowest('humidity', measured('2026-06-08', '2026-06-15'))],
  ['which sensors are offline?', different('sensor', is('state', 'offline'))],
  ['readings since yesterday', ids(row => String(row.measured_at) >= '2026-06-16')],
  ['readings in the last 24 hours', 'refused'],
  ['how many readings below 0?', 'refused'],
  ['hottest day', 'refused'],
  ['was it warmer in May than in April?', 'refused'],
  ['sensors with a battery percent below 10', 'refused'],
];

export const TRAP_STRANGERS: readonly Asked[] = [
  ['what share of the total is in the red team?', 'refused'],
  ['share of total by group', 'refused'],
  ['average share by group', by('group', averaged('share'))],
  ['entries in May', 'refused'],
  ['entries in May 2026', ids(within('day', '2026-05-01', '2026-06-01'))],
  ['entries where month is May', ids(is('month', 'May'))],
];
