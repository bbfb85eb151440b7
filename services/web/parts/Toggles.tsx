/**
 * Filter buttons that can be pressed together, each with the number of rows that it admits. If none
 * is pressed, all rows are admitted.
 */
import { UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Toggles.module.css'

export interface Toggle<Word extends string> {
  word: Word
  label: ReactNode
  count?: number
}

export interface TogglesProps<Word extends string> {
  /** What is filtered, for screen readers. */
  label: string
  toggles: readonly Toggle<Word>[]
  pressed: readonly Word[]
  onChange: (pressed: Word[]) => void
}

export function Toggles<Word extends string>({ label, toggles, pressed, onChange }: TogglesProps<Word>) {
  return (
    <fieldset className={classes.toggles}>
      <legend className="unseen">{label}</legend>
      {toggles.map(({ word, label, count }) => (
        <UnstyledButton
          key={word}
          className={classes.toggle}
          aria-pressed={pressed.includes(word)}
          onClick={() => onChange(pressed.includes(word) ? pressed.filter((one) => one !== word) : [...pressed, word])}
        >
          {label}
          {count !== undefined && <span className={classes.count}>{count}</span>}
        </UnstyledButton>
      ))}
    </fieldset>
  )
}
