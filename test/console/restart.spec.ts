import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freshDatabaseUrl } from '../harness/database.js';
import { testPort } from '../harness/port.js';
import { scratchDirectory, startService } from '../scenarios/start/service.js';
import { test } from './support/console-test.js';

test('a service that restarts under an open page: the page says so, and goes on by itself', async ({
  browsing,
}) => {
  const directory = await scratchDirectory();
  const settings = {
    PORT: String(await testPort()),
    DATABASE_URL: await freshDatabaseUrl(),
    DATA_DIR: directory,
    BOOTSTRAP_FILE: join(directory, 'first.json'),
    SECRETS_MASTER_KEYS: `restart:${Buffer.alloc(32, 9).toString('base64')}`,
  };
  const first = await startService(settings);
  const { signInUrl } = JSON.parse(await readFile(settings.BOOTSTRAP_FILE, 'utf8'));
  const page = await browsing({});
  await page.goto(signInUrl);
  await page.waitForURL('**/console/collections');
  await page.getByRole('button', { name: 'Load sample data' }).waitFor();

  first.child.kill('SIGTERM');
  await first.ended;
  await page.getByRole('searchbox').fill('orders');
  await page.getByText('The service cannot be reached.').waitFor();
  await page.getByRole('alert').getByText('The service cannot be reached', { exact: true }).waitFor();

  await startService(settings);
  await page.getByText('No collection matches "orders"').waitFor();
  await expect.poll(() => page.getByText('The service cannot be reached.').count()).toBe(0);
  expect(await page.getByRole('searchbox').inputValue()).toBe('orders');
});
