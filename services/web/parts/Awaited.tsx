/**
 * A line that says that the page is waiting for something. It turns green or red in place once the
 * result is known.
 */
import type { ReactNode } from 'react'
import classes from './Awaited.module.css'
import { type Look, Status } from './Status.tsx'

export function Awaited({ look, children }: { look: Look; children: ReactNode }) {
  return (
    <div className={classes.awaited} data-tone={look.tone} role="status">
      <Status look={look} size="lg" />
      <span>{children}</span>
    </div>
  )
}
