/**
 * What a person means by a few typed letters: what begins with them, then what has a word that
 * does, then what contains them, then what has them in their order. Pure.
 */

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const WORDS = /[\p{L}\p{N}]+/gu

/** Smaller is better; null: it does not fit. */
const PREFIX = 0
const WORD = 1
const PART = 2
/** Letters in their order; what lies closer together is better, up to the next hundred. */
const FUZZY = 3
const MAX_GAP = 99

function fuzzyOf(term: string, text: string): number | null {
  let at = -1
  let first = -1
  for (const letter of term) {
    at = text.indexOf(letter, at + 1)
    if (at < 0) return null
    if (first < 0) first = at
  }
  const gaps = at - first + 1 - term.length
  // Far apart in a long text is chance, not a name that somebody half remembers.
  return gaps > 2 * term.length ? null : FUZZY + Math.min(MAX_GAP, gaps) / 100
}

function scoreOf(term: string, text: string): number | null {
  if (text.startsWith(term)) return PREFIX
  if ([...text.matchAll(WORDS)].some(([word]) => word.startsWith(term))) return WORD
  if (text.includes(term)) return PART
  return term.length < 2 ? null : fuzzyOf(term, text)
}

/**
 * How well `text` is what was typed; null: it is not. Each of several words must fit, and the worst
 * of them counts.
 */
export function matchOf(typed: string, text: string): number | null {
  const wanted = plain(typed).trim()
  const given = plain(text)
  if (wanted === '') return PREFIX
  const whole = scoreOf(wanted, given)
  const terms = wanted.split(/\s+/)
  if (terms.length === 1 || (whole !== null && whole < FUZZY)) return whole
  const scores = terms.map((term) => scoreOf(term, given))
  const worst = scores.reduce<number | null>((most, score) => (most === null || score === null ? null : Math.max(most, score)), PREFIX)
  // Words in any order are never better than words as they stand.
  return worst === null ? whole : Math.max(WORD, worst)
}

export interface Ranked {
  label: string
  /** Further words by which it is found. */
  also?: string
}

/** Those that fit, the best first; among equals in the order given. */
export function ranked<Hit extends Ranked>(typed: string, hits: readonly Hit[]): Hit[] {
  return hits
    .flatMap((hit, nth) => {
      const own = matchOf(typed, hit.label)
      const other = hit.also === undefined ? null : matchOf(typed, hit.also)
      // What is found by another word stands behind what is found by its name.
      const score = own ?? (other === null ? null : other + 0.5)
      return score === null ? [] : [{ hit, score, nth }]
    })
    .sort((one, next) => one.score - next.score || one.nth - next.nth)
    .map(({ hit }) => hit)
}
