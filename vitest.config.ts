import { defineConfig } from 'vitest/config'

// `npm test` runs everything but test/long; `npm run test:long` (TURNWISE_SUITE=long) runs test/long alone.
const long = process.env.TURNWISE_SUITE === 'long'

export default defineConfig({
  test: {
    include: [long ? 'test/long/**/*.test.ts' : 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(long ? [] : ['test/long/**'])],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: long ? 300_000 : 30_000,
    hookTimeout: 60_000,
  },
})
