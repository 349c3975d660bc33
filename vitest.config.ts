import { defineConfig } from 'vitest/config'

// `npm test` runs everything but test/long; `npm run test:long` (TURNWISE_SUITE=long) runs test/long alone.
const long = process.env.TURNWISE_SUITE === 'long'

export default defineConfig({
  test: {
    include: [long ? 'test/long/**/*.test.ts' : 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(long ? [] : ['test/long/**'])],
    pool: 'forks',
    // Files share a worker's modules, which hold no state that a test could see: loading the AWS SDK anew for each took a quarter of the time.
    isolate: long,
    // A long suite keeps both cores of a small machine busy by itself: three at once wait for each other.
    maxWorkers: long ? 2 : 3,
    testTimeout: long ? 300_000 : 30_000,
    hookTimeout: 60_000,
  },
})
