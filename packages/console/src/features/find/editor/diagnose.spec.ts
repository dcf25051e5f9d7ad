import { expect, it } from 'vitest';
import { findingsIn, lineOf } from './diagnose.js';

it('marks what is not JSON', () => {
  expect(findingsIn('{"a": }', undefined)).toEqual([{ from: 6, to: 7, key: 'find.json_syntax' }]);
  expect(findingsIn('[1]', undefined)).toEqual([{ from: 0, to: 3, key: 'find.json_object' }]);
  expect(findingsIn('  ', undefined)).toEqual([]);
});

it('puts the message of the service at the place that it names', () => {
  const text = '{\n  "tags": {"$size": -1}\n}';
  const message = '$size needs an integer from 0';
  const [finding] = findingsIn(text, message);
  expect(finding).toMatchObject({ message });
  expect(text.slice(finding!.from, finding!.to)).toBe('"$size"');
  expect(lineOf(text, finding!.from)).toBe(2);
});
