import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The most files that a reader needs from the route to the socket, by the heading of the story. */
const MAX_FILES: Readonly<Record<string, number>> = {
  'The story of an insert': 12,
  'The story of a query': 18,
};

/** The stories in docs/architecture.md: headings, and the files of the table below each. */
const STORIES = readFileSync('docs/architecture.md', 'utf8')
  .split(/^#{2,3} /m)
  .filter(section => section.startsWith('The story of'))
  .map(section => ({
    heading: section.slice(0, section.indexOf('\n')),
    files: [...section.matchAll(/^\| `([^`]+\.ts)` \|/gm)].map(([, file]) => join('src', file as string)),
  }));

/** The files that a file imports, for their values or their types. */
function importsOf(file: string): string[] {
  const imported = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)\.js'/g);
  return [...imported].map(([, path]) => join(dirname(file), `${path}.ts`));
}

describe.each(STORIES)('$heading', ({ heading, files }) => {
  it('begins at a route and ends at a connection to PostgreSQL', () => {
    expect(files[0]).toMatch(/\.controller\.ts$/);
    expect(readFileSync(files.at(-1) as string, 'utf8')).toContain('pool.connect()');
  });

  it('goes from import to import, in few files', () => {
    const reached = files.map((_, at) => new Set(files.slice(0, at).flatMap(importsOf)));
    expect(files.slice(1).filter((file, at) => !reached[at + 1]?.has(file))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(MAX_FILES[heading] ?? 0);
  });
});

it('the insert has a story', () => {
  expect(STORIES.map(({ heading }) => heading)).toContain('The story of an insert');
});
