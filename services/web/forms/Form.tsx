/**
 * How a form looks, everywhere: groups of fields with a word on each group, what was refused, and
 * the buttons at the end.
 */
import { Button } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import classes from './Form.module.css'
import { Refused } from './Refused.tsx'
import type { Form as FormState } from './useForm.ts'

export interface FormProps<Values> {
  form: FormState<Values>
  /** The word on the button. */
  verb: string
  onCancel?: () => void
  children: ReactNode
  /** Beside the buttons. */
  aside?: ReactNode
}

export function Form<Values>({ form: { submit, sending, refusal }, verb, onCancel, children, aside }: FormProps<Values>) {
  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    const place = event.currentTarget
    submit(event)
    // What is wrong may stand far above the button: once it is marked, the first such field has the
    // cursor.
    requestAnimationFrame(() => place.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <form className={classes.form} onSubmit={onSubmit} noValidate>
      {children}
      <Refused refusal={refusal} />
      <div className={classes.buttons}>
        <Button type="submit" loading={sending}>
          {verb}
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        {aside}
      </div>
    </form>
  )
}

/** Fields that belong together. */
export function Group({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{title}</legend>
      {hint && <p className={classes.hint}>{hint}</p>}
      <div className={classes.fields}>{children}</div>
    </fieldset>
  )
}

export interface FoldedProps {
  title: string
  /** What is set within, in words. */
  summary: ReactNode
  /** Something within is wrong: it stands open. */
  faulty: boolean
  children: ReactNode
}

/** Fields that most people leave as they are. */
export function Folded({ title, summary, faulty, children }: FoldedProps) {
  const [opened, setOpened] = useState(false)
  return (
    <details className={classes.folded} open={opened || faulty} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        <ChevronRight size={16} aria-hidden />
        <b>{title}</b>
        <span>{summary}</span>
      </summary>
      <div className={classes.fields}>{children}</div>
    </details>
  )
}
