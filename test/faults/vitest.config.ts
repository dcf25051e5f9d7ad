import { defineConfig } from 'vitest/config';

/** The fault tests run separately and one after the other, because each of them loads the machine for a while. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.spec.ts'],
    globalSetup: 'test/faults/support/report.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
