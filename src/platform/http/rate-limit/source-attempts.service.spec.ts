import { expect, it } from 'vitest';
import { sourceOf } from './source-attempts.service.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50123', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  [undefined, 'unknown'],
  ['', 'unknown'],
  ['unknown', 'unknown'],
  ['_hidden', 'unknown'],
  ['192.0.2.7.5', 'unknown'],
  ['999.0.2.7', 'unknown'],
  ["192.0.2.7'--", 'unknown'],
  ['x'.repeat(10_000), 'unknown'],
])('an attempt from %s counts as one of %s', (ip, source) => {
  expect(sourceOf(ip)).toBe(source);
});

it('counts an IPv6 client by its /64, however the address is written', () => {
  const [first, ...others] = [
    '2001:db8:1:2::1',
    '2001:DB8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0000:0000:0000:0009',
    '[2001:db8:1:2::5]',
    '[2001:db8:1:2::5]:50123',
    '2001:db8:1:2::1%eth0',
  ].map(sourceOf);
  expect(new Set(others)).toEqual(new Set([first]));
  expect(sourceOf('2001:db8:1:3::1')).not.toBe(first);
});
