/**
 * Something that somebody waits for: the line says so, and turns green, or red, where it stands.
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
