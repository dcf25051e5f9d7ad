import { expect, it } from 'vitest';
import { hostEntry } from './host-entry.js';

it.each([
  ['localhost', 'localhost', undefined],
  ['IDP.test:8443', 'idp.test', 8443],
  ['127.1:80', '127.0.0.1', 80],
  ['[::1]', '[::1]', undefined],
  ['[0:0::1]:8443', '[::1]', 8443],
])('reads %s as URLs write the host', (text, host, port) => {
  expect(hostEntry(text)).toEqual({ host, port });
});

it.each(['', ':80', 'http://localhost', 'localhost/', 'a b', '::1', 'a:b', 'a:99999', 'ada@localhost', '*'])(
  'refuses %j',
  text => {
    expect(() => hostEntry(text)).toThrow('expects hosts like');
  },
);
