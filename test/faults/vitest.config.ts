import { defineConfig } from 'vitest/config';

/** Files that measure the times of requests and of turns of the event loop. Other work on the machine would distort them. */
const ALONE = ['test/faults/neighbours/**/*.spec.ts', 'test/faults/event-loop/**/*.spec.ts'];

/** The fault tests run separately from the others, because each of them loads the machine for a while. */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 120_000,
    globalSetup: ['test/faults/support/report.ts', 'test/faults/support/prepared-cluster.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.spec.ts'],
          exclude: ALONE,
          // Two files on the two cores of CI: each waits for restarts and timeouts for much of its time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
