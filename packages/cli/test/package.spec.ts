import { execFileSync } from 'node:child_process';
import { publint } from 'publint';
import { beforeAll, expect, it } from 'vitest';
import { build } from './terminal.js';

const FOLDER = 'packages/cli';

beforeAll(build);

it('the published package has the program, its built files, the README and the license, and nothing else', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: FOLDER,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [{ files }] = JSON.parse(packed);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  const others = paths.filter(path => !path.startsWith('dist/'));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'bin/tcol.js', 'package.json']);
  expect(paths).toContain('dist/main.js');
  expect(paths.filter(path => path.startsWith('dist/') && !/\.(?:js|d\.ts)$/.test(path))).toEqual([]);
  expect(paths.filter(path => path.includes('.spec.'))).toEqual([]);
});

it('the manifest has no mistakes', async () => {
  expect((await publint({ pkgDir: FOLDER, strict: true })).messages).toEqual([]);
});
