/** A loop of a machine: the Choice that decides whether to go on, which goes on by its Default and leaves by its first rule. */
export interface LoopBound {
  /** How often it goes on at most. */
  readonly times: number
  /** The only state from which it is entered; whatever else goes to the Choice comes from the loop itself. */
  readonly entry: string
  /** The id of the repeat in the doer's plan. */
  readonly id: number
  /** A whole repeat, one that goes from stretch to stretch, or one stretch of it, which is an execution of its own. */
  readonly kind: 'whole' | 'stretches' | 'stretch'
}

/** What a Map iterates over. */
export interface ListBound {
  /** Items at most; undefined: nobody says. */
  readonly most: number | undefined
  /** The id in the doer's plan: of the map, or of the repeat of which it runs a stretch. */
  readonly id: number
}

/** What a machine does not say of itself, by names of its states. */
export interface Bounds {
  readonly loops: ReadonlyMap<string, LoopBound>
  readonly lists: ReadonlyMap<string, ListBound>
}

/** For a list of which nobody says how long it may be: what a price is computed with. */
export const ASSUMED_ITEMS = 1_000
