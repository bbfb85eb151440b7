/**
 * Refuses passwords that are too easy to guess: common ones, repeats, keyboard rows, sequences, and
 * those made of the person's own words. They are checked here with the lists of zxcvbn-ts, so no
 * part of a password leaves the machine.
 */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/**
 * A password that fewer guesses find is refused: zxcvbn's scores 0 to 2. Log-in attempts are slowed
 * down, but guesses against a stolen hash are not.
 */
const LEAST_GUESSES_LOG10 = 8
/**
 * Only this many characters of a long password are checked: the time grows faster than the length,
 * and a start that is hard to guess is enough.
 */
const JUDGED = 32
/** How many of the person's own words count as known to an attacker. */
const MAX_WORDS = 20

let factory: Promise<ZxcvbnFactory> | undefined

/** The lists are large, so they are loaded when the first password is chosen. */
async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common')
  ])
  return new Factory({ dictionary: { ...dictionary }, graphs: adjacencyGraphs })
}

const wordsOf = (known: readonly string[]): string[] =>
  [...new Set(known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).map((word) => word.toLowerCase()))]
    .filter((word) => word.length >= 3)
    .slice(0, MAX_WORDS)

/** The characters that a password must have besides the person's own words. */
const LEAST_OWN = 5

function isMadeOf(words: readonly string[], password: string): boolean {
  let left = password.toLowerCase()
  for (const word of [...words].sort((one, other) => other.length - one.length)) left = left.replaceAll(word, ' ')
  const own = [...left.replace(/[^\p{L}\p{N}]/gu, '')].length
  return left !== password.toLowerCase() && own < LEAST_OWN
}

const OWN_WORDS = 'must not be made of your name, your e-mail address or the workspace'
const REASONS: Readonly<Record<string, string>> = {
  simpleRepeat: 'must not repeat the same characters',
  extendedRepeat: 'must not repeat the same words or characters',
  straightRow: 'must not be a row of keys',
  keyPattern: 'must not be a pattern of keys',
  sequences: 'must not be a sequence of letters or digits',
  userInputs: OWN_WORDS
}

/**
 * Returns why a password is too easy to guess, in words that follow “the password”. Null: it is
 * not. `known`: the person's e-mail address and name and the workspace, which an attacker tries
 * first. One call takes some ms of CPU, up to about 0.1 s for a hostile password: limit how often
 * it is called.
 */
export async function weakness(password: string, known: readonly string[]): Promise<string | null> {
  const words = wordsOf(known)
  if (isMadeOf(words, password)) return OWN_WORDS
  factory ??= load()
  const { guessesLog10, feedback } = (await factory).check([...password].slice(0, JUDGED).join(''), words)
  if (guessesLog10 >= LEAST_GUESSES_LOG10) return null
  return (
    REASONS[feedback.warning ?? ''] ??
    'must not be a common password, or be made of common words: a few words that do not belong together are good'
  )
}
