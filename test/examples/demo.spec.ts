import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startApp } from '../harness/app.js';
import { newHome } from '../harness/collection.js';
import { emptyDirectory } from '../harness/empty-directory.js';
import { runToEnd } from './program.js';

it('answers questions about real files, refuses an intruder, and takes back what an agent changed over MCP', async () => {
  const app = await startApp();
  const { owner } = await newHome(app);
  const file = join(emptyDirectory(), 'bootstrap.json');
  await writeFile(file, JSON.stringify({ accessToken: owner.token }));
  const { code, out, err } = await runToEnd('../demo/demo.mjs', [], {
    PLATFORM_URL: app.url,
    BOOTSTRAP_FILE: file,
  });
  const failed = out.split('\n').filter(line => line.includes('✗'));
  expect({ code, err, failed }).toEqual({ code: 0, err: '', failed: [] });
  expect(out).toMatch(/✓ the agent changed (\d+) packages[\s\S]*✓ \1 records are put back/);
  expect(out).toContain('✓ the number of packages per licence agrees with the files again');
});
