import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as z from 'zod'

const Build = z.object({
  functionID: z.string(),
  handler: z.string(),
  runtime: z.string(),
  properties: z.looseObject({}).nullish(),
})
const Request = z.object({ method: z.string(), params: z.array(z.unknown()) })

/** A function whose code the program asked to have bundled: by which handler, with which options. */
export interface BuiltFunction {
  readonly functionId: string
  readonly handler: string
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * Answers what SST's command answers while the program runs. Of a function's code it only looks whether the
 * handler's file is there; what is in the bundles is the business of `turnwise check`. Listens on 127.0.0.1;
 * does not keep the process alive once `unref` was called.
 */
export async function startCommandServer({ directory, work }: { directory: string; work: string }) {
  const built: BuiltFunction[] = []
  const methods: Record<string, (parameter: unknown) => unknown> = {
    'Provider.Aws.Bootstrap': () => ({ version: 5, asset: 'assets', state: 'state' }),
    async 'Runtime.Build'(parameter) {
      const { functionID: functionId, handler, properties } = Build.parse(parameter)
      const file = handler.replace(/\.[^.]+$/, '.ts')
      if (!existsSync(join(directory, file))) throw new Error(`${functionId}: there is no ${file}`)
      const out = join(work, `${functionId}-src`)
      await mkdir(out, { recursive: true })
      await writeFile(join(out, 'bundle.mjs'), '')
      built.push({ functionId, handler, options: properties ?? {} })
      return { handler: 'bundle.handler', out, errors: [], sourcemaps: [] }
    },
  }
  const server = createServer(async (request, response) => {
    response.setHeader('Connection', 'close')
    try {
      const { method, params } = Request.parse(JSON.parse((await request.toArray()).join('')))
      const answer = methods[method]
      if (answer === undefined) throw new Error(`rpc: can't find ${method}`)
      response.end(JSON.stringify({ result: await answer(params[0]) }))
    } catch (error) {
      response.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, built, unref: () => server.unref() }
}
