import { appendFileSync } from 'node:fs'

/** `begin 7`, then a while later `end 7`: what was done is on disk, whoever is killed. */
export async function handler(item: unknown): Promise<unknown> {
  const note = (word: string) => appendFileSync(process.env.JOURNAL ?? '', `${word} ${item}\n`)
  note('begin')
  await new Promise((resolve) => setTimeout(resolve, 20))
  note('end')
  return item
}
