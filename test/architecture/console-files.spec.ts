import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const BUILT = 'dist/console';
/** Compressed with gzip: what a browser loads until it shows the list of collections, and what it loads ahead then. */
const MOST_BYTES = 210_000;

/**
 * What the list of collections needs, one language included. The sign-in page is loaded by everybody once, the dialogs
 * after the list.
 */
const FIRST_PAGES = [
  'index.html',
  'src/features/account/sign-in-page.tsx',
  'src/app/shell/shell.tsx',
  'src/app/session/session-dialog.tsx',
  'src/features/collections/collections-page.tsx',
  'src/features/palette/palette.tsx',
  'src/features/palette/shortcuts.tsx',
  'src/i18n/en/index.ts',
];

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

let manifest: Readonly<Record<string, Chunk>>;
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'console'], { stdio: 'inherit' });
  manifest = JSON.parse(readFileSync(join(BUILT, '.vite/manifest.json'), 'utf8'));
});

/** The files of a chunk and of the chunks that it imports statically. */
function filesOf(name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`the manifest has no ${name}`);
  return [chunk.file, ...(chunk.css ?? []), ...(chunk.imports ?? []).flatMap(each => filesOf(each, seen))];
}

describe('the built console', () => {
  it(`loads at most ${MOST_BYTES} compressed bytes until it shows the list of collections`, () => {
    const pages = ['index.html', 'theme.js', ...FIRST_PAGES.flatMap(name => filesOf(name))];
    const files = [...new Set(pages)].map(file => ({
      file,
      bytes: statSync(join(BUILT, `${file}.gz`)).size,
    }));
    const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
    const largest = files.sort((one, other) => other.bytes - one.bytes);
    const table = largest.map(each => `${String(each.bytes).padStart(8)} ${each.file}`).join('\n');
    expect(bytes, `${bytes} bytes:\n${table}`).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('has neither scripts nor styles inside its page', () => {
    const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    for (const [, address] of page.matchAll(/\s(?:src|href)="([^"]*)"/g))
      expect(address).toMatch(/^\/console\//);
  });

  it('has the licence of every package that it contains', () => {
    const packages = JSON.parse(readFileSync(join(BUILT, '.vite/packages.json'), 'utf8')) as string[];
    expect(packages).toContain('react-dom');
    const licences = readFileSync(join(BUILT, 'licenses.txt'), 'utf8');
    for (const name of packages) {
      const [, text = ''] = licences.split(new RegExp(`^## ${name} - .*$`, 'm'));
      expect(text.split(/^## /m)[0]?.length ?? 0, name).toBeGreaterThan(200);
    }
  });
});
