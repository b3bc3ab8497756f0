import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Tests start daemons and programs: more at once than processors only makes them wait for each other.
    maxWorkers: 2,
  },
});
