/**
 * The common look of all forms: groups of fields with a hint on each group, the refusal, and the
 * buttons at the end.
 */
import { Button } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { formsText } from '../texts/forms.ts'
import { Faults, type FaultsProps } from './Faults.tsx'
import classes from './Form.module.css'
import { faultyFields, pathInWords } from './fault-words.ts'
import { Refused } from './Refused.tsx'
import type { Form as FormState } from './useForm.ts'

export interface FormProps<Values> {
  form: FormState<Values>
  /** The label of the submit button. */
  verb: string
  /** The form's action cannot be undone. */
  danger?: boolean
  onCancel?: () => void
  children: ReactNode
  /** Beside the buttons. */
  aside?: ReactNode
}

const noFaults: FaultsProps = { fields: [], others: [] }

const same = (one: FaultsProps, other: FaultsProps): boolean =>
  one.fields.map(({ label }) => label).join('\n') === other.fields.map(({ label }) => label).join('\n') &&
  one.others.join('\n') === other.others.join('\n')

/**
 * Returns the faults that the form shows after it was sent. After each try it focuses the first
 * faulty field, which may be far above the button, in a part that was folded.
 */
function useFaults<Values>(place: { current: HTMLElement | null }, { faults, tries }: FormState<Values>): FaultsProps {
  const [shown, setShown] = useState(noFaults)
  const focused = useRef(0)
  // Runs after every render, so that a corrected field leaves the summary as soon as its mark is
  // gone.
  useEffect(() => {
    if (!place.current || tries === 0) return
    const fields = faultyFields(place.current)
    const text = place.current.innerText
    const others = Object.entries(faults)
      .filter(([, message]) => !text.includes(message))
      .map(([path, message]) => `${pathInWords(path)}: ${message}`)
    const found = { fields, others: fields.length === 0 ? others : [] }
    setShown((before) => (same(before, found) ? before : found))
    if (focused.current === tries) return
    focused.current = tries
    fields[0]?.field.focus()
  })
  return shown
}

/** Returns the checked radio button of a group; any other field is returned as it is. */
const chosenOf = (field: HTMLElement, form: HTMLElement): HTMLElement =>
  field instanceof HTMLInputElement && field.type === 'radio'
    ? (form.querySelector<HTMLElement>(`input[name="${CSS.escape(field.name)}"]:checked`) ?? field)
    : field

/**
 * A dialog focuses its form once. The form passes the focus on to its first field, and never to a
 * button with another purpose or to the cross that closes the dialog.
 */
function toFirstField({ target, currentTarget }: FocusEvent<HTMLFormElement>): void {
  if (target !== currentTarget || !currentTarget.closest('[role=dialog]')) return
  const field =
    currentTarget.querySelector<HTMLElement>('[data-autofocus]') ??
    currentTarget.querySelector<HTMLElement>('input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled)') ??
    currentTarget.querySelector<HTMLElement>('[type=submit]')
  if (field) chosenOf(field, currentTarget).focus()
}

/**
 * A dialog may focus its form twice. That does not count as leaving the first field, so no fault is
 * shown yet.
 */
function notLeft(event: FocusEvent<HTMLFormElement>): void {
  if (event.relatedTarget === event.currentTarget) event.stopPropagation()
}

export function Form<Values>({ form, verb, danger = false, onCancel, children, aside }: FormProps<Values>) {
  const { submit, sending, refusal } = form
  const place = useRef<HTMLFormElement>(null)
  const faults = useFaults(place, form)
  const isAtFields = refusal?.code === 'VALIDATION_FAILED' && faults.fields.length > 0
  return (
    <form
      ref={place}
      className={classes.form}
      onSubmit={submit}
      noValidate
      tabIndex={-1}
      data-autofocus
      onFocus={toFirstField}
      onBlurCapture={notLeft}
    >
      {children}
      {refusal === null || isAtFields ? <Faults {...faults} /> : <Refused refusal={refusal} />}
      <Buttons>
        <Button type="submit" loading={sending} {...(danger && { color: 'red.9' })}>
          {verb}
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            {formsText('button.cancel')}
          </Button>
        )}
        {aside}
      </Buttons>
    </form>
  )
}

/** The order is the same everywhere: submit, then cancel, then everything else. */
export const Buttons = ({ children }: { children: ReactNode }) => <div className={classes.buttons}>{children}</div>

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
  /** The settings inside, in words. */
  summary: ReactNode
  /** A field inside is faulty, so the group is open. */
  faulty: boolean
  children: ReactNode
}

/** A folded group of fields that most people leave unchanged. */
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
