import { describe, expect, it } from 'vitest';
import { originOf } from './device-flow.js';

describe('the origin of a request for a device code', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', 'the computer that runs this service'],
    ['::1', '::1', 'the computer that runs this service'],
    ['::ffff:192.168.1.20', '192.168.1.20', 'a private network'],
    ['fd00::1', 'fd00::1', 'a private network'],
    ['100.64.0.1', '100.64.0.1', 'a private network'],
    ['93.184.216.34', '93.184.216.34', 'the internet'],
    ['2606:2800:220:1::1', '2606:2800:220:1::1', 'the internet'],
  ])('%s is %s, %s', (ip, address, place) => {
    expect(originOf(ip)).toEqual({ address, place });
  });

  it.each([undefined, 'unix:'])('is unknown without an IP address (%s)', ip => {
    expect(originOf(ip)).toEqual({ address: 'an unknown address', place: 'an unknown place' });
  });
});
