import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOf } from './bundle.js';

const FOLDER = 'packages/client';

/** Runs a program of this project in the folder of the package. */
const run = (program: string, ...options: string[]) =>
  execFileSync(program, options, { cwd: FOLDER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client'], { stdio: 'inherit' });
});

describe('the bundle of a program that uses', () => {
  const CLIENT = "'@typed-collections/client'";
  it.each([
    ['records, changes, files and errors', `export { createClient, TcError } from ${CLIENT}`, 9200],
    ['everything by hand', `export * from ${CLIENT}`, 10_000],
    ['only an error', `export { TcError } from ${CLIENT}`, 500],
    ['only the version', `export { VERSION } from ${CLIENT}`, 200],
    ['nothing', `import ${CLIENT}`, 50],
  ])('%s is small', async (_, text, most) => {
    expect(gzipSync(await bundleOf(text)).length).toBeLessThanOrEqual(most);
  });

  it('records has nothing of the other operations', async () => {
    const records = await bundleOf(`export { createClient } from ${CLIENT}`);
    const all = await bundleOf(`export * from ${CLIENT}; export * from '@typed-collections/client/api'`);
    expect(all).toContain('/v2/orgs');
    expect(records).not.toContain('/v2/orgs');
  });
});

describe('the published package', () => {
  it('has the built files with their types, the README and the license, and nothing else', () => {
    const [{ files }] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    const others = paths.filter(path => !path.startsWith('dist/'));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(paths).toContain('dist/index.js');
    for (const path of paths.filter(each => each.endsWith('.js'))) {
      expect(paths, path).toContain(path.replace(/\.js$/, '.d.ts'));
    }
    expect(paths.filter(path => !/\.(?:js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
    expect(paths.filter(path => path.includes('.spec.'))).toEqual([]);
  });

  it('has no dependencies', () => {
    const [manifest] = JSON.parse(`[${run('npm', 'pkg', 'get')}]`);
    expect(manifest.dependencies ?? manifest.peerDependencies).toBeUndefined();
  });

  it('is resolved by every tool, with its types', async () => {
    expect((await publint({ pkgDir: FOLDER, strict: true })).messages).toEqual([]);
    // It is an ES module only, which CommonJS loads with a dynamic import.
    run('npx', '--no-install', 'attw', '--pack', '.', '--profile', 'esm-only');
  });
});
