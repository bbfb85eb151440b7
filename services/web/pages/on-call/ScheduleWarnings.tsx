/** Warnings about a schedule: what is allowed, but odd. */
import { TriangleAlert } from 'lucide-react'
import type { Schedule } from '../../api/shapes.ts'
import { Status } from '../../parts/Status.tsx'
import { onCallText } from '../../texts/on-call.ts'
import classes from './Calendar.module.css'

const warn = { tone: 'warn', icon: TriangleAlert, word: '' } as const

export function ScheduleWarnings({ warnings }: { warnings: Schedule['warnings'] }) {
  if (warnings.length === 0) return null
  return (
    <ul className={classes.warnings} aria-label={onCallText('warnings.title')}>
      {warnings.map(({ code, message }) => (
        <li key={code}>
          <Status look={warn}>{message}</Status>
        </li>
      ))}
    </ul>
  )
}
