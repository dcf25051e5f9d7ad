import { describe, expect, it } from 'vitest';
import { type Entry, matching, moved } from './entries.js';

const entry = (label: string, hint?: string): Entry => ({
  id: label,
  group: 'actions',
  label,
  hint,
  run: () => {},
});
const labels = (entries: readonly Entry[]) => entries.map(({ label }) => label);

describe('the entries of the palette', () => {
  const entries = [entry('Theme: dark'), entry('Thème : sombre'), entry('orders', 'What customers bought')];

  it('match if they contain every word, whatever its case, accents and place', () => {
    expect(labels(matching(entries, 'DARK theme'))).toEqual(['Theme: dark']);
    expect(labels(matching(entries, 'theme'))).toEqual(['Theme: dark', 'Thème : sombre']);
    expect(labels(matching(entries, 'bought'))).toEqual(['orders']);
    expect(labels(matching(entries, 'dark orders'))).toEqual([]);
    expect(matching(entries, '  ')).toHaveLength(3);
  });

  it('are a circle for the arrow keys', () => {
    expect([moved(2, 'ArrowDown', 3), moved(0, 'ArrowUp', 3)]).toEqual([0, 2]);
    expect([moved(1, 'Home', 3), moved(1, 'End', 3)]).toEqual([0, 2]);
    expect([moved(1, 'a', 3), moved(0, 'ArrowDown', 0)]).toEqual([undefined, undefined]);
  });
});
