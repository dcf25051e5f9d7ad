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
  placed as nth,
  over,
  rowsOf,
  shareOf,
  summed,
  within,
} from '../expected-answers.js';

const hired = (start: string, end: string) => within('hired_on', start, end);
const YEARS = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => 2019 + index).map(year => [
    String(year),
    hired(`${year}-01-01`, `${year + 1}-01-01`),
  ]),
);

export const STAFF_QUESTIONS: readonly Asked[] = [
  ['How many employees were hired per year?', rowsOf(YEARS, counted)],
  ['hires per year', rowsOf(YEARS, counted)],
  ['How many people were hired each month in 2025?', months('hired_on', 2025, counted)],
  ['How many people left each month in 2026?', months('left_on', 2026, counted)],
  ['How many hires in 2025?', counted(hired('2025-01-01', '2026-01-01'))],
  ['employees per year', 'refused'],
  ['Combien d’embauches par an ?', rowsOf(YEARS, counted)],
  ['What percentage of employees is remote?', shareOf(counted(is('remote', true)), counted())],
  [
    'What percentage of employees in Oslo are seniors?',
    shareOf(counted(and(is('office', 'Oslo'), is('level', 'senior'))), counted(is('office', 'Oslo'))),
  ],
  ['What percentage of employees earn more than 60000?', shareOf(counted(over('salary', 60_000)), counted())],
  ['share of the payroll in Research', shareOf(summed('salary', is('team', 'Research')), summed('salary'))],
  [
    'What percentage of the Legal team works in Turin?',
    shareOf(counted(and(is('team', 'Legal'), is('office', 'Turin'))), counted(is('team', 'Legal'))),
  ],
  [
    'percentage of employees in Oslo who are remote',
    shareOf(counted(and(is('office', 'Oslo'), is('remote', true))), counted(is('office', 'Oslo'))),
  ],
  ['percentage of senior employees in Oslo', 'refused'],
  ['Quel pourcentage des employés est à distance ?', shareOf(counted(is('remote', true)), counted())],
  ['turnover rate', 'refused'],
  [
    'more juniors or seniors?',
    rowsOf({ junior: is('level', 'junior'), senior: is('level', 'senior') }, counted),
  ],
  ['Do seniors earn more than juniors?', 'refused'],
  [
    'Is the average salary higher in Oslo or in Quito?',
    rowsOf({ Oslo: is('office', 'Oslo'), Quito: is('office', 'Quito') }, test => averaged('salary', test)),
  ],
  [
    'average salary in Oslo vs Turin',
    rowsOf({ Oslo: is('office', 'Oslo'), Turin: is('office', 'Turin') }, test => averaged('salary', test)),
  ],
  [
    'Are there more employees in Support than in Legal?',
    rowsOf({ Support: is('team', 'Support'), Legal: is('team', 'Legal') }, counted),
  ],
  [
    'Were more people hired in 2025 than in 2024?',
    rowsOf({ '2025': hired('2025-01-01', '2026-01-01'), '2024': hired('2024-01-01', '2025-01-01') }, counted),
  ],
  ['Has the average salary gone up?', 'refused'],
  [
    'Who earns the most?',
    ids(
      () => true,
      (a, b) => (b.salary as number) - (a.salary as number),
      1,
    ),
  ],
  [
    'Which employee earns the most?',
    ids(
      () => true,
      (a, b) => (b.salary as number) - (a.salary as number),
      1,
    ),
  ],
  ['Who was hired last?', 'refused'],
  ['Who left in 2026?', ids(within('left_on', '2026-01-01', '2027-01-01'))],
  ['How many employees left in 2026?', counted(within('left_on', '2026-01-01', '2027-01-01'))],
  ['employees who left this year', ids(within('left_on', '2026-01-01', '2027-01-01'))],
  ['How many people work remotely?', 'refused'],
  ['employees employed in Quito', ids(is('office', 'Quito'))],
  ['employees hired in the last 2 years', ids(hired('2024-06-18', '2026-06-18'))],
  ['How many employees joined before 2022?', counted(row => String(row.hired_on) < '2022-01-01')],
  [
    'employees earning between 40000 and 50000',
    ids(row => (row.salary as number) >= 40_000 && (row.salary as number) <= 50_000),
  ],
  ['How many employees earn at least 80k?', counted(row => (row.salary as number) >= 80_000)],
  [
    'How many employees earn at most 50k in Turin?',
    counted(row => (row.salary as number) <= 50_000 && row.office === 'Turin'),
  ],
  ['employees without a bonus', 'refused'],
  ['How many employees have a bonus of 0?', counted(is('bonus', 0))],
  ['top 3 teams by average salary', best(3, by('team', averaged('salary')))],
  ['Which team has the second highest average salary?', 'refused'],
  ['Who has the second highest salary?', nth(2, (a, b) => (b.salary as number) - (a.salary as number))],
  ['not remote employees in Legal', ids(row => row.remote === false && row.team === 'Legal')],
  ['How many employees except in Oslo?', counted(row => row.office !== 'Oslo')],
  [
    'headcount by team and office',
    rows =>
      Object.fromEntries(
        [...new Set(rows.map(row => `${row.team}|${row.office}`))].map(group => [
          group,
          rows.filter(row => `${row.team}|${row.office}` === group).length,
        ]),
      ),
  ],
  ['number of employees by team', by('team', counted())],
  [
    'How many employees are there in Oslo and in Legal?',
    counted(row => row.office === 'Oslo' && row.team === 'Legal'),
  ],
  ['total bonus by level', by('level', summed('bonus'))],
  ['average salary of remote seniors', averaged('salary', and(is('remote', true), is('level', 'senior')))],
  ['Who should be promoted?', 'refused'],
  ['Fire all juniors', 'refused'],
];
