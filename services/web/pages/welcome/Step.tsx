/** One of the steps: what it is, whether it is done, and what happens next. */
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { lookOf, Status } from '../../parts/Status.tsx'
import { welcomeText } from '../../texts/welcome.ts'
import classes from './Welcome.module.css'

const isDone = lookOf('good', CircleCheck, () => welcomeText('step.done'))

export interface StepProps {
  number: number
  title: string
  done: boolean
  /** A sentence about what the step shows. */
  what: ReactNode
  /** What happens from now on, or after it. */
  next: ReactNode
  children: ReactNode
}

export function Step({ number, title, done, what, next, children }: StepProps) {
  return (
    <li className={classes.step} data-done={done || undefined}>
      <span className={classes.number} aria-hidden>
        {number}
      </span>
      <section aria-label={title} className={classes.body}>
        <h2>
          {title}
          {done && (
            <span className={classes.mark}>
              <Status look={isDone} filled />
            </span>
          )}
        </h2>
        <p className={classes.what}>{what}</p>
        {children}
        <p className={classes.next}>{next}</p>
      </section>
    </li>
  )
}
