import { expect, it } from 'vitest';
import { recordSheet } from './record-sheet.js';

it('shows of a record that is too large its system fields only, and names it', () => {
  const [small, large] = [
    { _id: 'a', created_at: '1', updated_at: '2', title: 'x' },
    { _id: 'b', created_at: '1', updated_at: '2', title: 'x'.repeat(100) },
  ];
  const texts = [small, large].map(record => JSON.stringify(record));
  expect(recordSheet(texts, 100)).toEqual({
    records: [small, { _id: 'b', created_at: '1', updated_at: '2' }],
    too_large: ['b'],
  });
  expect(recordSheet(texts, 1_000)).toEqual({ records: [small, large] });
});
