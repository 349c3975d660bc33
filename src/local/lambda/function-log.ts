import { StringDecoder } from 'node:string_decoder'

/** Takes a stream's chunks and hands on its lines. */
export interface LineWriter {
  /** What never gets its newline is handed on at 64 KB. */
  add(chunk: Buffer): void
  /** Hands on what has not got its newline yet. */
  flush(): void
}

export function createLineWriter(write: (line: string) => void): LineWriter {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const flush = () => {
    if (rest !== '') write(rest)
    rest = ''
  }
  return {
    add(chunk) {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) write(line)
      if (rest.length >= 65_536) flush()
    },
    flush,
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
