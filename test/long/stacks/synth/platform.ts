import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** This repository. */
export const ROOT = resolve(import.meta.dirname, '../../../..')
/** SST's components and Pulumi, which `npm run sst:install` unpacks and installs. */
export const PLATFORM = join(ROOT, '.sst/platform')

export const isPlatformInstalled = (): boolean => existsSync(join(PLATFORM, 'node_modules/@pulumi/aws'))

const requireOfPlatform = createRequire(join(PLATFORM, 'package.json'))

/** A resource as Pulumi's SDK hands it to the mocks in place of its engine. */
export interface MockResource {
  /** `aws:lambda/function:Function` */
  readonly type: string
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** False for a component, which groups others. */
  readonly custom?: boolean
}

export interface Mocks {
  newResource(resource: MockResource): { id: string; state: Record<string, unknown> }
  call(call: {
    readonly token: string
    readonly inputs: Readonly<Record<string, unknown>>
  }): Record<string, unknown>
}

/** What is used of `@pulumi/pulumi`, whose types are no dependency of this repository. */
export interface Pulumi {
  readonly runtime: {
    setMocks(mocks: Mocks, project: string, stack: string, preview: boolean): Promise<void>
    runInPulumiStack(program: () => Promise<unknown>): Promise<unknown>
    disconnect(): Promise<void>
  }
}

/** Pulumi as the bundled program loads it: both must be one instance. */
export const loadPulumi = (): Pulumi => requireOfPlatform('@pulumi/pulumi')
