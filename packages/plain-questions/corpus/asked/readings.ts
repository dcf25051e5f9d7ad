import {
  type Asked,
  and,
  averaged,
  best,
  by,
  counted,
  highest,
  ids,
  is,
  lowest,
  over,
  rowsOf,
  shareOf,
  within,
} from '../expected-answers.js';

const taken = (start: string, end: string) => within('measured_at', start, end);
const SPRING = {
  '2026-03': taken('2026-03-01', '2026-04-01'),
  '2026-04': taken('2026-04-01', '2026-05-01'),
  '2026-05': taken('2026-05-01', '2026-06-01'),
};
const DAYS = Object.fromEntries(
  Array.from({ length: 7 }, (_, index) => 11 + index).map(day => [
    `2026-06-${day}`,
    taken(`2026-06-${day}`, `2026-06-${day + 1}`),
  ]),
);

export const READING_QUESTIONS: readonly Asked[] = [
  [
    'average temperature by month from March to May 2026',
    rowsOf(SPRING, test => averaged('temperature', test)),
  ],
  ['Readings per month between March and May 2026', rowsOf(SPRING, counted)],
  [
    'maximum humidity per month between March and May 2026',
    rowsOf(SPRING, test => highest('humidity', test)),
  ],
  ['readings per day in the last 7 days', rowsOf(DAYS, counted)],
  ['average temperature per day over the last 7 days', rowsOf(DAYS, test => averaged('temperature', test))],
  ['daily readings in the last 7 days', rowsOf(DAYS, counted)],
  ['faults per day in the last 7 days', 'refused'],
  [
    'readings by weekday in May 2026',
    rows =>
      Object.fromEntries(
        ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((name, index) => [
          name,
          rows.filter(
            row =>
              SPRING['2026-05'](row) && new Date(String(row.measured_at)).getUTCDay() === (index + 1) % 7,
          ).length,
        ]),
      ),
  ],
  ['readings per hour', 'refused'],
  ['readings per minute today', 'refused'],
  ['moving average of the temperature', 'refused'],
  ['What percentage of readings are faults?', shareOf(counted(is('state', 'fault')), counted())],
  [
    'What percentage of readings have a temperature above 30?',
    shareOf(counted(over('temperature', 30)), counted()),
  ],
  [
    'What percentage of the readings of S1 are offline?',
    shareOf(counted(and(is('sensor', 'S1'), is('state', 'offline'))), counted(is('sensor', 'S1'))),
  ],
  ['share of readings from the cellar', shareOf(counted(is('site', 'cellar')), counted())],
  [
    'percentage of readings by state',
    rows => ({
      ...Object.fromEntries(
        ['fault', 'offline', 'ok'].map(state => {
          const found = rows.filter(is('state', state)).length;
          return [state, [found, Math.round((found / rows.length) * 10_000) / 100]];
        }),
      ),
      whole: [60, 100],
    }),
  ],
  ['average battery percent', averaged('battery_percent')],
  ['share of humidity', 'refused'],
  [
    'Is the average temperature higher on the roof or in the cellar?',
    rowsOf({ roof: is('site', 'roof'), cellar: is('site', 'cellar') }, test => averaged('temperature', test)),
  ],
  [
    'average humidity of S1 vs S2',
    rowsOf({ S1: is('sensor', 'S1'), S2: is('sensor', 'S2') }, test => averaged('humidity', test)),
  ],
  [
    'Were there more faults in May than in April?',
    rowsOf(
      {
        '2026-05': and(SPRING['2026-05'], is('state', 'fault')),
        '2026-04': and(SPRING['2026-04'], is('state', 'fault')),
      },
      counted,
    ),
  ],
  [
    'more readings in May than in April?',
    rowsOf({ '2026-05': SPRING['2026-05'], '2026-04': SPRING['2026-04'] }, counted),
  ],
  ['Is it warmer on the roof than in the cellar?', 'refused'],
  ['How many readings were taken yesterday?', counted(taken('2026-06-16', '2026-06-17'))],
  ['readings recorded today', ids(taken('2026-06-17', '2026-06-18'))],
  ['How many readings were measured in May 2026?', counted(SPRING['2026-05'])],
  ['How many faults were there?', counted(is('state', 'fault'))],
  ['How many fault readings were there last month?', counted(and(is('state', 'fault'), SPRING['2026-05']))],
  ['Which sensor has the most faults?', best(1, by('sensor', counted(), is('state', 'fault')))],
  ['Which sensor failed?', 'refused'],
  [
    'How many readings with a temperature between 10 and 20?',
    counted(row => typeof row.temperature === 'number' && row.temperature >= 10 && row.temperature <= 20),
  ],
  ['readings with a humidity of at least 90', ids(row => (row.humidity as number) >= 90)],
  ['readings not from the garden', ids(row => row.site !== 'garden')],
  ['How many readings except those of S3?', counted(row => row.sensor !== 'S3')],
  ['readings with an empty temperature', 'refused'],
  ['readings whose temperature is empty', ids(row => row.temperature === null)],
  ['highest temperature on the roof', highest('temperature', is('site', 'roof'))],
  ['lowest battery percent by sensor', by('sensor', lowest('battery_percent'))],
  ['second highest temperature', 'refused'],
  ['which site has the highest average humidity?', best(1, by('site', averaged('humidity')))],
  ['top 2 sensors by number of readings', best(2, by('sensor', counted()))],
  [
    'latest reading of S2',
    ids(is('sensor', 'S2'), (a, b) => (String(a.measured_at) < String(b.measured_at) ? 1 : -1), 1),
  ],
  ['temperature', 'refused'],
  ['Will it freeze tomorrow?', 'refused'],
  ['reset sensor S1', 'refused'],
  ['température moyenne par site', by('site', averaged('temperature'))],
];
