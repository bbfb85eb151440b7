/**
 * A form over one request body: what is typed, what is wrong with it, and the sending. The body is
 * judged by the api's own schema before anything is sent, in the words that the server would use;
 * what the server refuses stands at the same fields.
 */
import { useState } from 'react'
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { faultsOf } from '../../../schemas/http/faults.ts'
import { type Detail, type Refusal, toRefusal } from '../api/client.ts'

/** Path of a field as the api names it → what is wrong there. */
export type Faults = Readonly<Record<string, string>>

const sentence = (message: string): string => `This ${message}.`

export function faultsByPath(details: readonly Detail[]): Faults {
  const faults: Record<string, string> = {}
  for (const { path, message } of details)
    if (path !== undefined && message !== undefined)
      faults[path] ??= /^(has|is|may|must|needs)\b/.test(message) ? sentence(message) : message
  return faults
}

/** Everything that is wrong with `body`. */
export const judge = (schema: TSchema, body: unknown): Faults =>
  faultsByPath(Errors(schema, body).flatMap((error) => faultsOf(error, body)))

export interface FormOptions<Values, Body, Saved> {
  /** What the fields show at first. */
  initial: Values
  /** Of the body; may depend on what was chosen. */
  schema: TSchema | ((values: Values) => TSchema)
  /** The body to send; a field that is to be left out is undefined. */
  toBody: (values: Values) => Body
  save: (body: Body) => Promise<Saved>
  onSaved: (saved: Saved) => void
}

export interface Form<Values> {
  values: Values
  set: (change: Partial<Values>) => void
  /**
   * What is wrong at `path`, or at anything below it; shown once the field was left or the form was
   * sent.
   */
  fault: (path: string) => string | undefined
  /** For onBlur. */
  left: (path: string) => void
  submit: (event?: { preventDefault: () => void }) => void
  sending: boolean
  /** What the server refused. */
  refusal: Refusal | null
  /** What is wrong with what was sent, or would have been; nothing before the first try. */
  faults: Faults
  /** How often faults were found by sending. */
  tries: number
  changed: boolean
}

/** What JSON would leave out is not there for the schema either. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

const covers = (path: string, of: string): boolean => of === path || of.startsWith(`${path}.`) || of.startsWith(`${path}[`)

export function useForm<Values extends object, Body, Saved>({
  initial,
  schema,
  toBody,
  save,
  onSaved
}: FormOptions<Values, Body, Saved>): Form<Values> {
  const [first] = useState(initial)
  const [values, setValues] = useState(first)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [sent, setSent] = useState(false)
  const [tries, setTries] = useState(0)
  const [sending, setSending] = useState(false)
  const [refused, setRefused] = useState<{ refusal: Refusal; faults: Faults; values: Values } | null>(null)
  const own = judge(typeof schema === 'function' ? schema(values) : schema, asSent(toBody(values)))

  function fault(path: string): string | undefined {
    if (sent || touched.has(path)) {
      const found = Object.entries(own).find(([of]) => covers(path, of))
      if (found) return found[1]
    }
    // What the server said holds until something is changed.
    if (!refused || refused.values !== values) return undefined
    return Object.entries(refused.faults).find(([of]) => covers(path, of))?.[1]
  }

  async function send(): Promise<void> {
    setSending(true)
    setRefused(null)
    try {
      onSaved(await save(toBody(values)))
    } catch (error) {
      const refusal = toRefusal(error)
      setRefused({ refusal, faults: faultsByPath(refusal.details), values })
      setTries((before) => before + 1)
    } finally {
      setSending(false)
    }
  }

  return {
    values,
    set: (change) => setValues((before) => ({ ...before, ...change })),
    fault,
    left: (path) => setTouched((before) => (before.has(path) ? before : new Set([...before, path]))),
    submit(event) {
      event?.preventDefault()
      if (sending) return
      setSent(true)
      if (Object.keys(own).length === 0) void send()
      else setTries((before) => before + 1)
    },
    sending,
    refusal: refused && refused.values === values ? refused.refusal : null,
    faults: { ...(refused && refused.values === values && refused.faults), ...(sent && own) },
    tries,
    changed: values !== first
  }
}
