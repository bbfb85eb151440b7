/**
 * What people write in Markdown: comments, descriptions. Most of it is a plain sentence, for which
 * no parser is loaded.
 */
import { lazy, Suspense } from 'react'
import classes from './Markdown.module.css'

/** As it was written: until the parser is there, and where it cannot be loaded. */
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
