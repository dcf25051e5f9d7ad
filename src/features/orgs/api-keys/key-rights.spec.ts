import { describe, expect, it } from 'vitest';
import { ipAllowed, isIpRange } from './key-rights.js';

describe('an IP allow-list', () => {
  it.each([
    ['10.1.2.3', ['10.0.0.0/8']],
    ['192.0.2.1', ['10.0.0.0/8', '192.0.2.1']],
    ['::ffff:10.1.2.3', ['10.0.0.0/8']],
    ['2001:db8::1', ['2001:db8::/32']],
    ['2001:0db8:0:0::1', ['2001:db8::1']],
    ['fe80::1%eth0', ['fe80::/10']],
    ['203.0.113.9', ['0.0.0.0/0']],
    ['anything', []],
    [undefined, []],
  ])('admits %s to %j', (ip, ranges) => {
    expect(ipAllowed(ranges, ip)).toBe(true);
  });

  it.each([
    ['11.0.0.1', ['10.0.0.0/8']],
    ['192.0.2.2', ['192.0.2.1']],
    ['2001:db9::1', ['2001:db8::/32']],
    ['::ffff:11.0.0.1', ['10.0.0.0/8']],
    ['10.0.0.1, 11.0.0.1', ['10.0.0.0/8']],
    [undefined, ['0.0.0.0/0', '::/0']],
  ])('refuses %s for %j', (ip, ranges) => {
    expect(ipAllowed(ranges, ip)).toBe(false);
  });

  it.each(['10.0.0.0/8', '192.0.2.1', '::/0', '2001:db8::1/128'])('can contain %s', entry => {
    expect(isIpRange(entry)).toBe(true);
  });

  it.each(['10.0.0.0/33', '::/129', '10.0.0', 'host', '10.0.0.0/8/8', '10.0.0.0/', 'fe80::1%eth0', ''])(
    'cannot contain %j',
    entry => {
      expect(isIpRange(entry)).toBe(false);
    },
  );
});
