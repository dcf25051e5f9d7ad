import { describe, expect, it } from 'vitest';
import { loadSettings } from './load-settings.js';
import { isBelow, isOwnPath } from './upstreams.js';

const upstreams = (value: string) => loadSettings({ GATEWAY_UPSTREAMS: value }).GATEWAY_UPSTREAMS;

describe('the services behind the gateway', () => {
  it('are origins by prefix, the longest prefix first', () => {
    expect(upstreams('{"/v2/files":"http://files:3001/","/v2/files/big":"https://big"}')).toEqual([
      { prefix: '/v2/files/big', origin: 'https://big' },
      { prefix: '/v2/files', origin: 'http://files:3001' },
    ]);
    expect(upstreams('')).toEqual([]);
  });

  it.each([
    'files',
    '[]',
    'null',
    '"x"',
    '{"v2/files":"http://files"}',
    '{"/":"http://files"}',
    '{"/v2/files/":"http://files"}',
    '{"/v2/:id":"http://files"}',
    '{"/v2/../x":"http://files"}',
    '{"/v2/files":"files:3001"}',
    '{"/v2/files":"ftp://files"}',
    '{"/v2/files":"http://files/base"}',
    '{"/v2/files":"http://user@files"}',
    '{"/v2/files":7}',
    '{"/v1":"http://files"}',
    '{"/V1/collections":"http://files"}',
    '{"/v2":"http://files"}',
    '{"/v2/orgs/x":"http://files"}',
    '{"/oidc":"http://files"}',
    '{"/health":"http://files"}',
  ])('are not %s', value => {
    expect(() => upstreams(value)).toThrow('GATEWAY_UPSTREAMS');
  });
});

describe('the roles of a process', () => {
  it('are both by default, or one if configured, in a fixed order', () => {
    expect(loadSettings({}).PLATFORM_ROLES).toEqual(['gateway', 'runtime']);
    expect(loadSettings({ PLATFORM_ROLES: 'runtime' }).PLATFORM_ROLES).toEqual(['runtime']);
    expect(loadSettings({ PLATFORM_ROLES: ' runtime , gateway' }).PLATFORM_ROLES).toEqual([
      'gateway',
      'runtime',
    ]);
  });

  it.each([
    [{ PLATFORM_ROLES: 'gateway' }, 'needs RUNTIME_URL'],
    [{ PLATFORM_ROLES: 'worker' }, 'PLATFORM_ROLES expects'],
    [{ PLATFORM_ROLES: 'runtime,runtime' }, 'PLATFORM_ROLES expects'],
    [{ PLATFORM_ROLES: ',' }, 'PLATFORM_ROLES expects'],
    [{ RUNTIME_URL: 'http://runtime:3000/v1' }, 'RUNTIME_URL expects'],
    [
      { PLATFORM_ROLES: 'runtime', GATEWAY_UPSTREAMS: '{"/v2/files":"http://files"}' },
      'GATEWAY_UPSTREAMS needs',
    ],
  ])('prevent the start as %j, and state the reason', (environment, reason) => {
    expect(() => loadSettings(environment)).toThrow(reason);
  });
});

it('a path is below a prefix according to the matching of the router', () => {
  expect([isBelow('/V1/x', ['/v1']), isBelow('/v1', ['/v1']), isBelow('/v1x', ['/v1'])]).toEqual([
    true,
    true,
    false,
  ]);
  expect([isOwnPath('/v2/orgs/x'), isOwnPath('/v2/files'), isOwnPath('/v2')]).toEqual([true, false, false]);
});
