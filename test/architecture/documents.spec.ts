import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { envExample } from '../../src/config/env-example.js';
import { ERROR_STATUS } from '../../src/kernel/errors.js';

it('lists in docs/errors.md exactly the error codes of the code, with their statuses', async () => {
  const page = await readFile('docs/errors.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z]\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.sort()).toEqual(Object.entries(ERROR_STATUS).sort());
});

it('documents in .env.example every setting as the code defines it', async () => {
  expect(await readFile('.env.example', 'utf8')).toBe(envExample());
});
