import type { Grade, OutputSize } from '../core/thinker.ts'

/** A call that the model asked for. */
export interface ModelCall {
  /** Unique in the conversation, also when the provider gave none or gave one twice. */
  readonly id: string
  /** As the model wrote it: it may name nothing that exists. */
  readonly name: string
  /** JSON text as the model wrote it, which may be malformed; blank text has become `{}`. */
  readonly arguments: string
}

/**
 * A conversation in our own words. Every call of an assistant message is answered by the tool messages right
 * after it, in call order.
 */
export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string }

/** What the model may call. `parameters` is the JSON schema of an object. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
}

/** One question to a model: everything it is to know, and what it may say. */
export interface Exchange {
  readonly grade: Grade
  readonly outputSize: OutputSize
  readonly messages: readonly Message[]
  readonly tools: readonly ToolOffer[]
  /** The answer's JSON schema, of an object, under the name of the thinker. */
  readonly answer: { readonly name: string; readonly schema: Record<string, unknown> }
  /** Aborted when the time for this exchange is over; the exchange then throws `Timeout`. */
  readonly signal: AbortSignal
}

export interface Reply {
  /** What the model said; with `refused`, why it will not. May be blank beside calls, and when `cut`. */
  readonly text: string
  /** Empty unless `stop` is `calls`: a cut message may hold half a call, which must not run. */
  readonly calls: readonly ModelCall[]
  /** `cut`: the output limit was reached, so the text is not whole. */
  readonly stop: 'calls' | 'answer' | 'cut' | 'refused'
  /**
   * Cached input and reasoning are parts of these totals. `estimated` when the provider counted nothing: a
   * quarter of the characters.
   */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly estimated?: true }
  /** The model as the provider calls it. */
  readonly model: string
}

/** One exchange with a model over whatever provider. Throws errors of `core/errors.ts`. */
export interface Model {
  exchange(request: Exchange): Promise<Reply>
}
