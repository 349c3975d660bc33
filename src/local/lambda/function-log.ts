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

/** The last lines of one invocation, for Lambda's `LogResult`. */
export interface LogTail {
  add(line: string): void
  /** Lambda: the last 4 KB of the log, in base64. */
  toBase64(): string
}

const TAIL_BYTES = 4_096

export function createLogTail(): LogTail {
  let tail = Buffer.alloc(0)
  return {
    add(line) {
      tail = Buffer.concat([tail, Buffer.from(`${line}\n`)]).subarray(-TAIL_BYTES)
    },
    toBase64: () => tail.toString('base64'),
  }
}
