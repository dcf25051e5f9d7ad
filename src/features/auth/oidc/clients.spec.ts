import { expect, it } from 'vitest';
import { displayName } from './clients.service.js';

const shown = (clientName?: string) => displayName({ clientId: 'abc', clientName });

it.each([
  ['Tool', 'Tool'],
  [' Tool\u202e\u200b\u0000 ', 'Tool'],
  ['Büro 日本 🙂', 'Büro 日本 🙂'],
  ['\u200b', 'abc'],
  [undefined, 'abc'],
])('a client that calls itself %j is shown as "%s"', (name, expected) => {
  expect(shown(name)).toBe(expected);
});

it('a name is shown with at most 100 characters', () => {
  expect(shown('x'.repeat(500))).toHaveLength(100);
});
