import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

it('lists in docs/architecture.md every decision record, and none that is not there', async () => {
  const page = await readFile('docs/architecture.md', 'utf8');
  const listed = new Set([...page.matchAll(/\]\(decisions\/([\w-]+\.md)\)/g)].map(([, file]) => file));
  expect([...listed].sort()).toEqual((await readdir('docs/decisions')).sort());
});

it('links in README and docs lead to files that are there', async () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
  for (const file of await readdir('docs')) if (file.endsWith('.md')) pages.push(join('docs', file));
  const dead: string[] = [];
  for (const page of pages) {
    const text = await readFile(page, 'utf8');
    for (const [, link] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      if (!existsSync(join(dirname(page), link as string))) dead.push(`${page}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
});
