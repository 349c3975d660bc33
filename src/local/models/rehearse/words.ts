/** Too common to say what a text is about. */
const STOP_WORDS = new Set([
  ...['a', 'an', 'the', 'this', 'that', 'it', 'its', 'one', 'and', 'or', 'if', 'so', 'not', 'no'],
  ...['i', 'me', 'my', 'we', 'our', 'you', 'your', 'they', 'them', 'their', 'there', 'please'],
  ...[
    'what',
    'when',
    'where',
    'which',
    'who',
    'why',
    'how',
    'as',
    'at',
    'by',
    'for',
    'from',
    'in',
    'of',
    'on',
  ],
  ...['to', 'with', 'is', 'are', 'was', 'were', 'be', 'can', 'could', 'do', 'does', 'has', 'have', 'will'],
])

/** What people say instead of the words that schemas use. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['broken', ['damaged', 'defective', 'faulty', 'cracked', 'smashed', 'torn', 'does not work']],
  ['late', ['delayed', 'overdue', 'too long', 'never arrived', 'still waiting']],
  ['unwanted', ['not wanted', 'not want', "don't want", 'changed my mind', 'no longer', "don't need"]],
  ['refund', ['money back', 'reimburse']],
  ['cancel', ['call off', 'stop']],
  ['delivered', ['arrived', 'received']],
  ['shipped', ['sent', 'on its way']],
])

/**
 * The words that say what a text is about, without endings: `list_orders`, `ListOrders` and `listed the
 * order` all hold `list` and `order`.
 */
export function topicWords(text: string): Set<string> {
  const apart = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  const words = apart.match(/[a-z]+/g) ?? []
  return new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(withoutEnding))
}

function withoutEnding(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s)$/, '') : word.replace(/(?<=...)s$/, '')
}

/** Whether a text holds a word or one of its synonyms, as whole words in any case. */
export function mentions(text: string, word: string): boolean {
  const spoken = word.replaceAll('_', ' ')
  return [word, spoken, ...(SYNONYMS.get(spoken.toLowerCase()) ?? [])].some((candidate) =>
    holdsWord(text, candidate),
  )
}

function holdsWord(text: string, word: string): boolean {
  return word !== '' && new RegExp(`(?<![\\w-])${escapeForPattern(word)}(?![\\w-])`, 'i').test(text)
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
