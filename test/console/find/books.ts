/** Columns of a collection of books, of every type that conditions treat in their own way. */
export const COLUMNS = {
  title: { type: 'text' },
  year: { type: 'integer' },
  lent: { type: 'boolean' },
  printed: { type: 'date' },
  read_at: { type: 'datetime' },
  tags: { type: 'array' },
  details: { type: 'json' },
};

/** Four books, with flexible fields of several types. */
export const BOOKS = [
  {
    ...{ title: 'Emma', year: 1815, lent: false, printed: '1815-12-23', tags: ['novel', 'england'] },
    ...{ details: { city: 'London' }, shelf: 7 },
  },
  {
    ...{ title: 'Middlemarch', year: 1871, lent: true, printed: '1871-12-01', tags: ['novel'] },
    ...{ read_at: '2026-01-31T09:30:00Z', details: { city: 'Edinburgh' }, shelf: 'B2' },
    loans: [{ by: 'ada', days: 14 }],
  },
  {
    ...{ title: 'Ulysses', year: 1922, lent: false, printed: '1922-02-02', tags: ['novel', 'dublin'] },
    ...{ read_at: '2025-06-16T20:00:00Z', details: { city: 'Paris' }, shelf: 12 },
    loans: [{ by: 'ada', days: 30 }],
  },
  { title: '=1+1', year: -5, tags: [] },
];
