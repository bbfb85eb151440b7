/** A rule in words, and its warnings. */
import { TriangleAlert } from 'lucide-react'
import type { Rule } from '../../api/shapes.ts'
import { Status } from '../../parts/Status.tsx'
import { routingText } from '../../texts/routing.ts'
import classes from './Routing.module.css'
import { actionsInWords, matchInWords } from './rule-words.ts'
import type { Things } from './things.ts'

/** `When severity is critical: then nobody is told.` */
export function Sentence({ rule, things: { nameOf } }: { rule: Rule; things: Things }) {
  return (
    <p className={classes.sentence}>
      <b>{routingText('summary.when')}</b> {matchInWords(rule, nameOf)}
      <br />
      <b>{routingText('summary.then')}</b> {actionsInWords(rule, nameOf).join(', ')}
    </p>
  )
}

/** Warnings about a rule that was saved anyway. */
export function Warnings({ warnings }: { warnings: Rule['warnings'] }) {
  if (warnings.length === 0) return null
  return (
    <ul className={classes.warnings} aria-label={routingText('warning.label')}>
      {warnings.map(({ code, path, message }) => (
        <li key={`${code} ${path}`}>
          <Status look={{ tone: 'warn', icon: TriangleAlert, word: message }} />
        </li>
      ))}
    </ul>
  )
}
