/**
 * Shows text that people write in Markdown, such as comments and descriptions. Most of it is a
 * plain sentence and needs no parser, so the parser loads only when needed.
 */
import { lazy, Suspense } from 'react'
import classes from './Markdown.module.css'

/** The raw text, shown until the parser is loaded or when it cannot be loaded. */
const AsWritten = ({ text }: { text: string }) => <p className={classes.raw}>{text}</p>

const Text = lazy(() =>
  import('./MarkdownText.tsx').then(
    ({ MarkdownText }) => ({ default: MarkdownText }),
    () => ({ default: AsWritten })
  )
)

const MARKS = /[*_`~#>[\]\\|]|:\/\/|\n|^\s*(?:[-+]|\d+[.)])\s/

export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.written}>
      {MARKS.test(text) ? (
        <Suspense fallback={<AsWritten text={text} />}>
          <Text text={text} />
        </Suspense>
      ) : (
        <AsWritten text={text} />
      )}
    </div>
  )
}
