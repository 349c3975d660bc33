import { StringDecoder } from 'node:string_decoder'

/** Takes a stream's chunks and hands on its lines; what never gets its newline is handed on at 64 KB. */
export function createLineWriter(write: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) write(line)
    if (rest.length < 65_536) return
    write(rest)
    rest = ''
  }
}
