import { readFileSync } from 'node:fs';
import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

/**
 * Two projects: `unit` needs nothing, `integration` a PostgreSQL (DATABASE_URL, else the embedded one). swc
 * instead of Vite's own compiler, since only it emits the decorator metadata that Nest injects by. Most of an
 * integration file's time is imports, so a worker's files share one module graph.
 */
export default defineConfig({
  oxc: false,
  plugins: [swc.vite({ ...JSON.parse(readFileSync('.swcrc', 'utf8')), tsconfigFile: false })],
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Bounds, not expectations: what a test waits for comes soon, but on a busy machine anything may take a while.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The search for secrets comes last: cut off, it would find none.
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.spec.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.spec.ts'],
          exclude: ['test/faults/**'],
          isolate: false,
          globalSetup: 'test/app/global-setup.ts',
        },
      },
    ],
  },
});
