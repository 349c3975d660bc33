/// <reference path="./.sst/platform/config.d.ts" />

// SST refuses imports at the top of this file.
export default $config({
  app({ stage }) {
    const isProduction = stage === 'production'
    return {
      name: 'turnwise',
      home: 'aws',
      removal: isProduction ? 'retain' : 'remove',
      protect: isProduction,
    }
  },
  async run() {
    const { deploy } = await import('./stacks/deploy.ts')
    return deploy()
  },
})
