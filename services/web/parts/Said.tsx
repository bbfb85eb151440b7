/**
 * Texts of a catalogue with something drawn in their places: a time that goes on by itself, a link,
 * a piece of code. Words stand in the order of their language.
 */
import { Fragment, type ReactNode } from 'react'

/** Private characters of Unicode: nothing that people write has them. */
const FIRST = 0xe000
const MARKS = /([\ue000-\ue0ff])/

const markOf = (nth: number): string => String.fromCharCode(FIRST + nth)

/** `text` with `drawn` where their marks are. */
const withDrawn = (text: string, drawn: readonly ReactNode[]): ReactNode =>
  text.split(MARKS).map((piece, at) => {
    const nth = piece.length === 1 ? piece.charCodeAt(0) - FIRST : -1
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text keep their order
    return <Fragment key={at}>{nth >= 0 && nth < drawn.length ? drawn[nth] : piece}</Fragment>
  })

/** The value of the only place that is drawn, for `Around`. */
export const HERE = markOf(0)

/** `text` with `children` where it has HERE. */
export const Around = ({ text, children }: { text: string; children: ReactNode }) => <>{withDrawn(text, [children])}</>

export interface SaidProps<Name extends string> {
  /** By the names of their places. */
  parts: Readonly<Record<Name, ReactNode>>
  /** Gives the text with what it is handed in those places. */
  children: (places: Readonly<Record<Name, string>>) => string
}

/** As Around, where several places are drawn. */
export function Said<Name extends string>({ parts, children }: SaidProps<Name>) {
  const names = Object.keys(parts) as Name[]
  const places = Object.fromEntries(names.map((name, nth) => [name, markOf(nth)])) as Record<Name, string>
  const drawn = names.map((name) => parts[name])
  return <>{withDrawn(children(places), drawn)}</>
}

/** What stands between backticks is code. */
export function Coded({ text }: { text: string }) {
  return text.split('`').map((part, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text stay where they are
    return at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>
  })
}
