/**
 * Ranks names against a few typed letters. Names that begin with them come first, then names with a
 * word that begins with them, then names that contain them, then names with the letters in the same
 * order. Pure.
 */

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const WORDS = /[\p{L}\p{N}]+/gu

/** Scores. Smaller is better; null: no match. */
const PREFIX = 0
const WORD = 1
const PART = 2
/**
 * All letters occur in order. Up to MAX_GAP letters between them are added to the score in
 * hundredths, so closer letters score better.
 */
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
  // Letters far apart match a long text by chance. They are not a half-remembered name.
  return gaps > 2 * term.length ? null : FUZZY + Math.min(MAX_GAP, gaps) / 100
}

function scoreOf(term: string, text: string): number | null {
  if (text.startsWith(term)) return PREFIX
  if ([...text.matchAll(WORDS)].some(([word]) => word.startsWith(term))) return WORD
  if (text.includes(term)) return PART
  return term.length < 2 ? null : fuzzyOf(term, text)
}

/**
 * Returns how well `text` matches the typed text; null: not at all. If several words are typed,
 * each must match, and the worst score counts.
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
  // Words in any order never score better than the text as typed.
  return worst === null ? whole : Math.max(WORD, worst)
}

export interface Ranked {
  label: string
  /** More words that also match. */
  also?: string
}

/** Returns the hits that match, best first. Equal scores keep their order. */
export function ranked<Hit extends Ranked>(typed: string, hits: readonly Hit[]): Hit[] {
  return hits
    .flatMap((hit, nth) => {
      const own = matchOf(typed, hit.label)
      const other = hit.also === undefined ? null : matchOf(typed, hit.also)
      // A hit that matches only by its other words ranks below a match of the same kind by its
      // name.
      const score = own ?? (other === null ? null : other + 0.5)
      return score === null ? [] : [{ hit, score, nth }]
    })
    .sort((one, next) => one.score - next.score || one.nth - next.nth)
    .map(({ hit }) => hit)
}
