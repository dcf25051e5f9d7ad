import { expect, it } from 'vitest';
import { environmentOf } from './pg-tools.js';

it.each([
  [
    'postgres://ada:p%40ss@db.example.com:6432/plat%20form?sslmode=verify-full&sslrootcert=/ca.pem',
    {
      PGHOST: 'db.example.com',
      PGPORT: '6432',
      PGUSER: 'ada',
      PGPASSWORD: 'p@ss',
      PGDATABASE: 'plat form',
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: '/ca.pem',
    },
  ],
  ['postgres://[::1]/platform', { PGHOST: '::1', PGDATABASE: 'platform' }],
  ['postgres:///platform?host=/run/postgresql', { PGHOST: '/run/postgresql', PGDATABASE: 'platform' }],
])('passes %s to the PostgreSQL programs as variables', (url, variables) => {
  expect(environmentOf(url).variables).toEqual(variables);
});
