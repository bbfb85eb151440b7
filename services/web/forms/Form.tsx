/**
 * How a form looks, everywhere: groups of fields with a word on each group, what was refused, and
 * the buttons at the end.
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
  /** The word on the button. */
  verb: string
  /** What it does cannot be undone. */
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
 * What the form itself shows as wrong, once it was sent; and the first such field has the cursor
 * after each try: it may stand far above the button, in a part that was folded.
 */
function useFaults<Values>(place: { current: HTMLElement | null }, { faults, tries }: FormState<Values>): FaultsProps {
  const [shown, setShown] = useState(noFaults)
  const focused = useRef(0)
  // After every drawing: what is corrected leaves the summary with its mark.
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

/** The one that was chosen of a group of which one can be. */
const chosenOf = (field: HTMLElement, form: HTMLElement): HTMLElement =>
  field instanceof HTMLInputElement && field.type === 'radio'
    ? (form.querySelector<HTMLElement>(`input[name="${CSS.escape(field.name)}"]:checked`) ?? field)
    : field

/**
 * A dialog gives the focus to its form, once, and the form to its first field: never to a button
 * that does something else, or to the cross that closes it.
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
 * A dialog may give the focus to its form twice: nobody has left the first field by that, and
 * nothing is said of it yet.
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

/** Everywhere in this order: what is done, then the way out, then what else there is. */
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
