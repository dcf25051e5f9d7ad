import { readFileSync } from 'node:fs';
import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

const IN_BROWSER = {
  isolate: false,
  globalSetup: [
    'test/harness/browser-notice.ts',
    'test/console/support/build.ts',
    'test/harness/global-setup.ts',
  ],
};

/** Random tests, which `npm run test:long` gives more time and another seed. */
const RANDOM = [
  'test/long/*.spec.ts',
  'test/faults/event-loop/event-loop-fuzz.spec.ts',
  'test/scenarios/bad-input/{random-requests,killed}.spec.ts',
  'test/scenarios/idempotency/killed.spec.ts',
  'test/scenarios/abuse/tenancy.spec.ts',
  'test/scenarios/history/undo-random.spec.ts',
  'test/conformance/{random,regex,update-random}.spec.ts',
  'src/platform/http/body/json-body.spec.ts',
  'src/features/ai/builtin-schemas/builtin-schemas.spec.ts',
  'src/features/auth/web-session/redirect-target.spec.ts',
  'packages/console/src/features/find/{editor/json-text,model/round-trip}.spec.ts',
  'test/scenarios/rules/{random,non-interference}.spec.ts',
];

/**
 * `unit` needs no services. `integration` needs a PostgreSQL (DATABASE_URL, else the embedded one). `console` needs a
 * browser too; the journeys of the console are part of `integration` instead, so that `npm test` opens the console.
 * `screenshots` draws the pictures of the documentation. `long` is for hours: SEED repeats a run, TIMES makes it longer.
 * swc replaces Vite's own compiler, because only swc emits the decorator metadata that Nest needs for injection.
 * An integration file spends most of its time on imports, so the files of a worker share one module graph.
 */
export default defineConfig({
  oxc: false,
  // The packages are tested from their sources; Node itself ignores this condition.
  resolve: { conditions: ['typed-collections-source'] },
  ssr: { resolve: { conditions: ['typed-collections-source'] } },
  plugins: [swc.vite({ ...JSON.parse(readFileSync('.swcrc', 'utf8')), tsconfigFile: false })],
  test: {
    pool: 'forks',
    // More than the two cores of CI, because a worker waits for the database and for timers about half of its time.
    maxWorkers: 3,
    // Upper limits for a busy machine. Most tests finish in far less time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The teardown ends with the search for secrets, which would find none if it were cut off.
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.spec.ts', 'packages/*/{src,scripts}/**/*.spec.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.spec.ts', 'packages/*/test/**/*.spec.ts'],
          exclude: ['test/{faults,long}/**', 'test/console/*.spec.ts', 'test/console/!(journeys)/**'],
          isolate: false,
          globalSetup: ['test/harness/browser-notice.ts', 'test/harness/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: ['test/console/**/*.spec.ts'],
          exclude: ['test/console/journeys/**'],
          ...IN_BROWSER,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: RANDOM,
          maxWorkers: 1,
          env: { SEED: process.env.SEED ?? String(Date.now() % 2 ** 31), TIMES: process.env.TIMES ?? '5' },
          globalSetup: [
            'test/harness/global-setup.ts',
            'test/faults/support/report.ts',
            'test/faults/support/prepared-cluster.ts',
          ],
        },
      },
      {
        extends: true,
        test: { name: 'screenshots', include: ['test/console/screenshots/*.shots.ts'], ...IN_BROWSER },
      },
    ],
  },
});
