/**
 * The heading of what takes the place of a form. The button that had the focus is gone, so the
 * heading takes it: the keyboard stays here, and a screen reader says what happened.
 */
import { useEffect, useRef } from 'react'
import classes from './TakenHeading.module.css'

export function TakenHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 ref={heading} tabIndex={-1} className={classes.heading}>
      {children}
    </h1>
  )
}
