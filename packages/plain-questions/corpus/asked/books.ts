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
  placed as nth,
  rowsOf,
  shareOf,
  summed,
  within,
} from '../expected-answers.js';
import type { Row } from '../fixtures.js';

const out = (start: string, end: string) => within('published_on', start, end);
const has = (subject: string) => (row: Row) => (row.subjects as string[]).includes(subject);
const YEARS = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => 2015 + index).map(year => [
    String(year),
    out(`${year}-01-01`, `${year + 1}-01-01`),
  ]),
);

export const BOOK_QUESTIONS: readonly Asked[] = [
  ['Books per year', rowsOf(YEARS, counted)],
  ['How many books were published each year?', rowsOf(YEARS, counted)],
  [
    'How many novels were published per year?',
    rowsOf(YEARS, test => counted(and(test, is('genre', 'novel')))),
  ],
  ['average rating by year', rowsOf(YEARS, test => averaged('rating', test))],
  [
    'books published per quarter in 2024',
    rowsOf(
      {
        '2024-Q1': out('2024-01-01', '2024-04-01'),
        '2024-Q2': out('2024-04-01', '2024-07-01'),
        '2024-Q3': out('2024-07-01', '2024-10-01'),
        '2024-Q4': out('2024-10-01', '2025-01-01'),
      },
      counted,
    ),
  ],
  ['books per month', 'refused'],
  ['What percentage of books are novels?', shareOf(counted(is('genre', 'novel')), counted())],
  ['What percentage of books is in print?', shareOf(counted(is('in_print', true)), counted())],
  ['share of books in French', shareOf(counted(is('language', 'French')), counted())],
  [
    'What percentage of books have a rating above 4?',
    shareOf(
      counted(row => (row.rating as number) > 4),
      counted(),
    ),
  ],
  [
    'What percentage of novels are in Danish?',
    shareOf(counted(and(is('genre', 'novel'), is('language', 'Danish'))), counted(is('genre', 'novel'))),
  ],
  [
    'What percentage of books were published in 2024?',
    shareOf(counted(out('2024-01-01', '2025-01-01')), counted()),
  ],
  ['what fraction of the books are about the sea', 'refused'],
  [
    'percentage of books by genre',
    rows => ({
      ...Object.fromEntries(
        ['crime', 'essay', 'novel', 'poetry'].map(genre => {
          const found = rows.filter(is('genre', genre)).length;
          return [genre, [found, Math.round((found / rows.length) * 10_000) / 100]];
        }),
      ),
      whole: [60, 100],
    }),
  ],
  ['average share of pages', 'refused'],
  ['more novels or essays?', rowsOf({ novel: is('genre', 'novel'), essay: is('genre', 'essay') }, counted)],
  [
    'Are there more books in English than in French?',
    rowsOf({ English: is('language', 'English'), French: is('language', 'French') }, counted),
  ],
  [
    'Is the average price higher for novels or essays?',
    rowsOf({ novel: is('genre', 'novel'), essay: is('genre', 'essay') }, test => averaged('price', test)),
  ],
  [
    'Did Mara Lind write more books than Otto Vale?',
    rowsOf({ 'Mara Lind': is('author', 'Mara Lind'), 'Otto Vale': is('author', 'Otto Vale') }, counted),
  ],
  [
    'compare the average rating of Mara Lind and Iris Kwan',
    rowsOf({ 'Mara Lind': is('author', 'Mara Lind'), 'Iris Kwan': is('author', 'Iris Kwan') }, test =>
      averaged('rating', test),
    ),
  ],
  ['Which books did Mara Lind write?', ids(is('author', 'Mara Lind'))],
  ['Who wrote the most books?', best(1, by('author', counted()))],
  ['Who wrote the most novels?', best(1, by('author', counted(), is('genre', 'novel')))],
  ['books written by Otto Vale', ids(is('author', 'Otto Vale'))],
  ['authors that wrote poetry', different('author', is('genre', 'poetry'))],
  ['How many books were sold?', 'refused'],
  ['How many books were borrowed last week?', 'refused'],
  ['How many books does Iris Kwan have?', counted(is('author', 'Iris Kwan'))],
  ['Which books are longer than 500 pages?', ids(row => (row.pages as number) > 500)],
  [
    'books with between 200 and 300 pages',
    ids(row => (row.pages as number) >= 200 && (row.pages as number) <= 300),
  ],
  ['How many books cost less than 10 euros?', counted(row => (row.price as number) < 10)],
  ['How many books are not in English?', counted(row => row.language !== 'English')],
  ['books without a rating', 'refused'],
  ['How many books with an empty rating?', 'refused'],
  ['books published in the last 5 years', ids(out('2021-06-18', '2026-06-18'))],
  ['the second longest book', 'refused'],
  ['second most expensive book', nth(2, (a, b) => (b.price as number) - (a.price as number))],
  ['the 3 cheapest novels', 'refused'],
  [
    'the 3 cheapest books',
    ids(
      () => true,
      (a, b) => (a.price as number) - (b.price as number),
      3,
    ),
  ],
  [
    'most expensive book',
    ids(
      () => true,
      (a, b) => (b.price as number) - (a.price as number),
      1,
    ),
  ],
  ['average number of pages per genre', by('genre', averaged('pages'))],
  ['how many pages have the novels', 'refused'],
  ['total number of pages', summed('pages')],
  ['cheapest price of a Danish book', lowest('price', is('language', 'Danish'))],
  ['What is the highest rating of a novel?', highest('rating', is('genre', 'novel'))],
  ['books about love and war', 'refused'],
  ['books with the subjects love and war', ids(row => has('love')(row) && has('war')(row))],
  ['books with the subject sea', ids(has('sea'))],
  ['Which author has the highest average rating?', best(1, by('author', averaged('rating')))],
  ['best book', 'refused'],
  ['recommend me a novel', 'refused'],
  ['Which languages do we have?', different('language')],
  ['How many genres are there?', rows => new Set(rows.map(row => row.genre)).size],
  [
    'Is there any crime book under 5 euros?',
    counted(row => row.genre === 'crime' && (row.price as number) < 5),
  ],
  ['Combien de romans ?', counted(is('genre', 'novel'))],
  ['Combien de livres par langue ?', by('language', counted())],
  ['Quel pourcentage des livres est en français ?', shareOf(counted(is('language', 'French')), counted())],
];
