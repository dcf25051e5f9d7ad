import { defineConfig } from 'vitest/config';

/** The fault tests: by themselves and one after the other, since each takes the machine for a while. */
export default defineConfig({
  test: {
    include: ['test/faults/*.spec.ts'],
    globalSetup: 'test/faults/report.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
