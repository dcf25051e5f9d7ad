import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_STATUS } from '../../src/base/kernel/errors.js';
import { envExample } from '../../src/platform/config/known-settings.js';

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

/** The decision records, without their index. */
async function records(): Promise<string[]> {
  return (await readdir('docs/decisions')).filter(file => /^\d/.test(file)).sort();
}

it('lists in docs/decisions/README.md every decision record once', async () => {
  const page = await readFile('docs/decisions/README.md', 'utf8');
  const listed = [...page.matchAll(/^- \[(\d+)\. .+\]\(([\w-]+\.md)\)$/gm)];
  expect(listed.map(([, , file]) => file).sort()).toEqual(await records());
  for (const [, number, file] of listed) expect(Number.parseInt(file!, 10)).toBe(Number(number));
});

it('gives every decision record its number as title and the same headings', async () => {
  for (const file of await records()) {
    const page = (await readFile(join('docs/decisions', file), 'utf8')).replace(/^```[\s\S]*?^```/gm, '');
    const [title, ...headings] = [...page.matchAll(/^#+ .+$/gm)].map(([heading]) => heading);
    expect(title).toMatch(new RegExp(`^# ${Number.parseInt(file, 10)}\\. `));
    expect([file, headings]).toEqual([file, ['## Context', '## Decision', '## Consequence']]);
  }
});

/** README, the other pages at the root, and every page of the documentation, the examples and the packages. */
async function pages(): Promise<string[]> {
  const below = async (folder: string) =>
    (await readdir(folder, { recursive: true }))
      .filter(file => file.endsWith('.md') && !file.includes('node_modules'))
      .map(file => join(folder, file));
  return [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'],
    ...(await Promise.all(['docs', 'examples', 'packages'].map(below))).flat(),
  ];
}

/** The anchors of a page, made from its headings as GitHub makes them. */
async function anchorsOf(page: string): Promise<Set<string>> {
  const text = (await readFile(page, 'utf8')).replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map(each =>
      each
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

it('links only to files and headings that exist', async () => {
  const dead: string[] = [];
  for (const page of await pages()) {
    const text = await readFile(page, 'utf8');
    for (const [, file, anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const target = file === '' ? page : join(dirname(page), file as string);
      if (!existsSync(target)) dead.push(`${page}: ${file}`);
      else if (anchor !== undefined && !(await anchorsOf(target)).has(anchor))
        dead.push(`${page}: ${file}#${anchor}`);
    }
  }
  expect(dead).toEqual([]);
});

it('tells nobody to install a package from npm that is not published there', async () => {
  const lines = 'packages/console/src/features/collections/first-steps/first-steps.tsx';
  const told: string[] = [];
  for (const page of [...(await pages()), lines]) {
    const text = await readFile(page, 'utf8');
    const names = /\b(npx|npm (?:i|install|add|exec))( -+\S+)* (tcol|@?typed-collections)\b/g;
    for (const [command] of text.matchAll(names)) told.push(`${page}: ${command}`);
  }
  expect(told).toEqual([]);
});

it('lists every example in examples/README.md, and gives each a README', async () => {
  const index = await readFile('examples/README.md', 'utf8');
  const listed = [...index.matchAll(/^\| \[[\w-]+\]\(([\w-]+)\/README\.md\)/gm)].map(([, name]) => name);
  const folders = (await readdir('examples', { withFileTypes: true })).filter(each => each.isDirectory());
  expect(listed.sort()).toEqual(folders.map(({ name }) => name).sort());
});

it('begins every page of the documentation with the readers it is for', async () => {
  const silent: string[] = [];
  for (const page of await pages()) {
    if (!/^docs\/(?!decisions\/\d)/.test(page)) continue;
    const text = await readFile(page, 'utf8');
    if (!/^# .+\n\nThis (?:page|tutorial) is for /.test(text)) silent.push(page);
  }
  expect(silent).toEqual([]);
});

it('lists every page of the documentation in docs/README.md', async () => {
  const index = await readFile('docs/README.md', 'utf8');
  const listed = new Set([...index.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, file]) => join('docs', file!)));
  const found = (await pages()).filter(
    page => /^docs\/(?!decisions\/\d)/.test(page) && page !== 'docs/README.md',
  );
  expect([...listed].sort()).toEqual(found.sort());
});

it('keeps paragraphs short, so that a review shows what changed in each', async () => {
  const long: string[] = [];
  for (const page of await pages()) {
    const most = page === 'CHANGELOG.md' ? 400 : 600;
    const lines = (await readFile(page, 'utf8')).split('\n');
    for (const [index, line] of lines.entries()) {
      // A row of a table cannot be broken.
      if (line.length > most && !line.startsWith('|')) long.push(`${page}:${index + 1}`);
    }
  }
  expect(long).toEqual([]);
});
