/**
 * Draws catalogue texts that have elements in their placeholders: a live time, a link, a piece of
 * code. The word order is that of the text's language.
 */
import { Fragment, type ReactNode } from 'react'

/** Characters of Unicode's private use area, which do not occur in what people write. */
const FIRST = 0xe000
const MARKS = /([\ue000-\ue0ff])/

const markOf = (nth: number): string => String.fromCharCode(FIRST + nth)

/** Returns `text` with each mark replaced by its element of `drawn`. */
const withDrawn = (text: string, drawn: readonly ReactNode[]): ReactNode =>
  text.split(MARKS).map((piece, at) => {
    const nth = piece.length === 1 ? piece.charCodeAt(0) - FIRST : -1
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text keep their order
    return <Fragment key={at}>{nth >= 0 && nth < drawn.length ? drawn[nth] : piece}</Fragment>
  })

/** The value to pass for the single placeholder of a text in `Around`. */
export const HERE = markOf(0)

/** `text` with `children` in place of HERE. */
export const Around = ({ text, children }: { text: string; children: ReactNode }) => <>{withDrawn(text, [children])}</>

export interface SaidProps<Name extends string> {
  /** The elements by the names of their placeholders. */
  parts: Readonly<Record<Name, ReactNode>>
  /** Returns the text, with the given marks as values of its placeholders. */
  children: (places: Readonly<Record<Name, string>>) => string
}

/** Like Around, for a text with several elements. */
export function Said<Name extends string>({ parts, children }: SaidProps<Name>) {
  const names = Object.keys(parts) as Name[]
  const places = Object.fromEntries(names.map((name, nth) => [name, markOf(nth)])) as Record<Name, string>
  const drawn = names.map((name) => parts[name])
  return <>{withDrawn(children(places), drawn)}</>
}

/** Shows text between backticks as code. */
export function Coded({ text }: { text: string }) {
  return text.split('`').map((part, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text stay where they are
    return at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>
  })
}
