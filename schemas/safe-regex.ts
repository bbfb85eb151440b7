/**
 * Bounds the regular expressions that people write (assertions of monitors, routing rules) before
 * they are compiled. The api refuses an expression over the bound. Probers and folds do not compile
 * one that an older version stored.
 *
 * The engine (RE2) matches in linear time, but it writes out a counted repetition: `(a|b){500}`
 * becomes 500 copies, and nested repetitions multiply. The size of its program, the work to build
 * it, and the work per character of a text grow with that. `expandedNodes` computes this size from
 * the text of the expression alone, in one pass without recursion. The result is never lower than
 * the engine's real size, and may be higher when the engine simplifies.
 */
import { RE2JS, RE2JSException, RE2Set } from 're2js'
import { MAX_EXPRESSION } from './limits.ts'

export { MAX_EXPRESSION }

/** Most nodes of one expression. It compiles within some milliseconds. */
export const MAX_NODES = 1000
/** Most nodes of all different expressions in one request. */
export const MAX_NODES_TOGETHER = 3000
/** How many characters of a text an expression examines: 256 KiB of plain text. */
export const MATCHED_CHARACTERS = 262_144

/**
 * The expression may not be compiled. `message` tells people why, without the expression. `limit`
 * and `actual` are set when the expression is too large.
 */
export class UnsafeExpression extends Error {
  override readonly name = 'UnsafeExpression'
  readonly limit: number | null
  readonly actual: number | null
  constructor(message: string, bound: { limit: number; actual: number } | null = null) {
    super(message)
    this.limit = bound?.limit ?? null
    this.actual = bound?.actual ?? null
  }
}

/**
 * A Unicode class (`\pL`) has hundreds of ranges. Every copy carries them, and collecting them
 * takes extra work.
 */
const UNICODE_CLASS_NODES = 4
const UNICODE_CLASS_WORK = 20
/** How many ranges of a class count as one node. */
const RANGES_A_NODE = 16
/**
 * When case is ignored, the engine walks through a range code point by code point, up to the last
 * letter that has a case.
 */
const FOLDED_A_NODE = 200
const LAST_FOLDED = 0x1e943
/** Above every bound. It keeps the figures in answers finite. */
const MAX_COUNTED = 1_000_000_000

const REPEAT = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y
const GROUP = /\(\?(?:P?<[^>]*>|([imsU]*)(?:-[imsU]+)?([:)]))/y
const UNICODE_CLASS = /\\[pP](?:\{[^}]*\}|[^{])/uy
const CODE_POINT = /\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|([0-7]{1,3}))/y

/** The counts of a group that is still open. */
interface Open {
  /** Nodes of the completed parts, including earlier alternatives. */
  done: number
  /**
   * Nodes that a following repetition would repeat. Null when the current alternative is still
   * empty.
   */
  last: number | null
  captures: boolean
}

/**
 * Reads an expression from left to right. A method returns null instead of a figure when the engine
 * would refuse the expression too.
 */
class Reader {
  readonly #text: string
  #at = 0
  /** Work that is done once, however often a part repeats. */
  #work = 0
  #ignoresCase = false

  constructor(text: string) {
    this.#text = text
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found
  }

  #takeText(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** Returns the next code point; NaN at the end. */
  #takeOne(): number {
    const one = this.#text.codePointAt(this.#at)
    if (one === undefined) return Number.NaN
    this.#at += one > 0xffff ? 2 : 1
    return one
  }

  nodes(): number | null {
    const groups: Open[] = []
    let open: Open = { done: 0, last: null, captures: false }
    const put = (nodes: number): void => {
      open.done += open.last ?? 0
      open.last = nodes
    }
    while (this.#at < this.#text.length) {
      const repeat = this.#take(REPEAT)
      if (repeat) {
        if (open.last === null) return null
        open.last = repeated(open.last, Number(repeat[1]), repeat[2] ? Number(repeat[3] ?? Number.POSITIVE_INFINITY) : Number(repeat[1]))
        continue
      }
      const char = this.#text[this.#at]
      if (char === '*' || char === '+' || char === '?') {
        // A ? after another repetition means "as few as possible". It is counted all the same.
        if (open.last === null) return null
        open.last += 2
        this.#at++
      } else if (char === '(') {
        const group = this.#group()
        if (group === null) return null
        if (group === 'flags') continue
        groups.push(open)
        open = { done: 0, last: null, captures: group === 'captures' }
      } else if (char === ')') {
        const outer = groups.pop()
        if (!outer) return null
        const inner = open.done + (open.last ?? 1) + (open.captures ? 2 : 0)
        open = outer
        put(inner)
        this.#at++
      } else if (char === '|') {
        open.done += (open.last ?? 1) + 1
        open.last = null
        this.#at++
      } else if (char === '[') {
        const nodes = this.#class()
        if (nodes === null) return null
        put(nodes)
      } else if (char === '\\') {
        const nodes = this.#escape(put)
        if (nodes === null) return null
      } else {
        this.#takeOne()
        put(1)
      }
    }
    return groups.length > 0 ? null : open.done + (open.last ?? 1) + this.#work
  }

  #group(): 'captures' | 'groups' | 'flags' | null {
    if (!this.#text.startsWith('(?', this.#at)) {
      this.#at++
      return 'captures'
    }
    const found = this.#take(GROUP)
    if (!found) return null
    // Never reset, because ignoring case can only raise the count.
    if (found[1]?.includes('i')) this.#ignoresCase = true
    if (found[2] === ')') return 'flags'
    return found[2] === ':' ? 'groups' : 'captures'
  }

  #escape(put: (nodes: number) => void): true | null {
    if (this.#takeText('\\Q')) {
      const end = this.#text.indexOf('\\E', this.#at)
      const quoted = this.#text.slice(this.#at, end < 0 ? undefined : end)
      for (const _ of quoted) put(1)
      this.#at = end < 0 ? this.#text.length : end + 2
      return true
    }
    if (this.#take(UNICODE_CLASS)) {
      this.#work += UNICODE_CLASS_WORK
      put(1 + UNICODE_CLASS_NODES)
      return true
    }
    if (this.#codePoint() === null) return null
    put(1)
    return true
  }

  /**
   * Returns the code point of an escape; NaN when it stands for more than one, null at the end of
   * the text.
   */
  #codePoint(): number | null {
    const found = this.#take(CODE_POINT)
    if (found) return found[3] === undefined ? Number.parseInt(found[1] ?? found[2] ?? '', 16) : Number.parseInt(found[3], 8)
    this.#at++
    const one = this.#takeOne()
    if (Number.isNaN(one)) return null
    return /[A-Za-z]/.test(String.fromCodePoint(one)) ? Number.NaN : one
  }

  #class(): number | null {
    this.#at++
    this.#takeText('^')
    let ranges = 0
    let unicode = 0
    for (let first = true; first || this.#text[this.#at] !== ']'; first = false) {
      if (this.#at >= this.#text.length) return null
      ranges++
      if (this.#text.startsWith('[:', this.#at)) {
        const end = this.#text.indexOf(':]', this.#at)
        if (end >= 0) {
          this.#at = end + 2
          continue
        }
      }
      if (this.#take(UNICODE_CLASS)) {
        unicode++
        continue
      }
      const low = this.#member()
      if (low === null) return null
      let high: number | null = low
      if (this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']') {
        this.#at++
        high = this.#member()
        if (high === null) return null
      }
      if (this.#ignoresCase && high > low)
        this.#work += Math.ceil((Math.min(high, LAST_FOLDED) - Math.min(low, LAST_FOLDED)) / FOLDED_A_NODE)
    }
    this.#at++
    this.#work += unicode * UNICODE_CLASS_WORK
    return 1 + unicode * UNICODE_CLASS_NODES + Math.floor(ranges / RANGES_A_NODE)
  }

  #member(): number | null {
    if (this.#text[this.#at] === '\\') return this.#codePoint()
    const one = this.#takeOne()
    return Number.isNaN(one) ? null : one
  }
}

/** Returns the nodes of `least` to `most` copies, with the branches between them. */
function repeated(nodes: number, least: number, most: number): number {
  if (most === Number.POSITIVE_INFINITY) return Math.min(MAX_COUNTED, Math.max(1, least) * nodes + 2)
  return Math.min(MAX_COUNTED, Math.max(1, most) * nodes + Math.max(0, most - least))
}

/**
 * Returns an upper bound for the size of the engine's program; null when the engine does not accept
 * the expression. Pure.
 */
export function expandedNodes(expression: string): number | null {
  return new Reader(expression).nodes()
}

const SYNTAX = 'must be a regular expression of RE2: it runs in linear time, without look-around and back-references'

/**
 * Returns the nodes of an expression that may be compiled. Throws UnsafeExpression. It compiles
 * nothing.
 */
export function checkExpression(expression: string): number {
  if (expression.length > MAX_EXPRESSION) {
    const bound = { limit: MAX_EXPRESSION, actual: expression.length }
    throw new UnsafeExpression(`must have at most ${MAX_EXPRESSION} characters`, bound)
  }
  const nodes = expandedNodes(expression)
  if (nodes === null) throw new UnsafeExpression(SYNTAX)
  if (nodes > MAX_NODES) {
    throw new UnsafeExpression(
      `must come to at most ${MAX_NODES} parts when it is written out: a repetition such as {100} counts what it repeats 100 times`,
      { limit: MAX_NODES, actual: nodes }
    )
  }
  return nodes
}

/** Returns whether a text has a match within its first MATCHED_CHARACTERS. */
export type Expression = (text: string) => boolean

/** Throws UnsafeExpression. */
export function compileExpression(expression: string): Expression {
  checkExpression(expression)
  try {
    const compiled = RE2JS.compile(expression)
    return (text) => compiled.test(text.length > MATCHED_CHARACTERS ? text.slice(0, MATCHED_CHARACTERS) : text)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new UnsafeExpression(SYNTAX)
  }
}

/** Most bytes that one frugal expression may use to remember engine states. */
const FRUGAL_BYTES = 262_144

/**
 * Does the same as compileExpression, for a process that keeps many expressions. What an expression
 * remembers about texts is bounded, at the cost of some speed. Throws UnsafeExpression.
 */
export function compileFrugally(expression: string): Expression {
  checkExpression(expression)
  try {
    const compiled = new RE2Set(RE2Set.UNANCHORED, 0, FRUGAL_BYTES)
    compiled.add(expression)
    compiled.compile()
    return (text) => compiled.match(text.length > MATCHED_CHARACTERS ? text.slice(0, MATCHED_CHARACTERS) : text).length > 0
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new UnsafeExpression(SYNTAX)
  }
}
