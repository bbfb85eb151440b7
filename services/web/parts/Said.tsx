/** Texts with something drawn in the middle: a time that goes on, a link, a piece of code. */
import { Fragment, type ReactNode } from 'react'

/** The value of a place that is drawn: no text has this character. */
export const HERE = '\uE000'

/** `text` with `children` where it has HERE, whatever the order of words in its language. */
export function Around({ text, children }: { text: string; children: ReactNode }) {
  const [before, after] = text.split(HERE)
  return (
    <>
      {before}
      {children}
      {after}
    </>
  )
}

/** What stands between backticks is code. */
export function Coded({ text }: { text: string }) {
  return text.split('`').map((part, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text stay where they are
    return at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>
  })
}
