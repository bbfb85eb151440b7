/**
 * The state of a form for one request body: what is typed, what is wrong with it, and the sending.
 * The body is validated against the api's own schema before it is sent, with the same words that
 * the server uses. Faults from the server are shown at the same fields.
 */
import { useRef, useState } from 'react'
import { type Refusal, toRefusal } from '../api/client.ts'
import { type Faults, faultsByPath } from './faults.ts'
import { type SchemaOf, useJudge } from './useJudge.ts'

export interface FormOptions<Values, Body, Saved> {
  /** The initial content of the fields. */
  initial: Values
  /** Loads the schema of the body. It loads with the first key press, not with the page. */
  schema: () => Promise<SchemaOf<Values>>
  /** Returns the body to send. A field to be left out is undefined. */
  toBody: (values: Values) => Body
  save: (body: Body) => Promise<Saved>
  onSaved: (saved: Saved) => void
  /** Called with each change of a field. */
  onSet?: () => void
}

export interface Form<Values> {
  values: Values
  set: (change: Partial<Values>) => void
  /**
   * Returns the fault at `path` or below it. It is shown only after the field was left or the form
   * was sent.
   */
  fault: (path: string) => string | undefined
  /** For onBlur. */
  left: (path: string) => void
  submit: (event?: { preventDefault: () => void }) => void
  sending: boolean
  /** The refusal of the server. */
  refusal: Refusal | null
  /** The faults of the body that was sent, or would have been sent. Empty before the first try. */
  faults: Faults
  /** How many tries to send have failed. */
  tries: number
  changed: boolean
}

const covers = (path: string, of: string): boolean => of === path || of.startsWith(`${path}.`) || of.startsWith(`${path}[`)

const NONE: Faults = {}

/**
 * For how long the same values are not sent again. A closing dialog stays for 0.2 s, on a slow
 * machine for longer.
 */
const DOUBLE_PRESS_MS = 2_000

export function useForm<Values extends object, Body, Saved>({
  initial,
  schema,
  toBody,
  save,
  onSaved,
  onSet
}: FormOptions<Values, Body, Saved>): Form<Values> {
  const [first] = useState(initial)
  const [values, setValues] = useState(first)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [sent, setSent] = useState(false)
  const [tries, setTries] = useState(0)
  const [sending, setSending] = useState(false)
  const [refused, setRefused] = useState<{ refusal: Refusal; faults: Faults; values: Values } | null>(null)
  /**
   * True from the press of the button to the end of the try, so that a second press does nothing.
   */
  const submitting = useRef(false)
  /**
   * What was saved, and when. A closing dialog stays for a moment: the second press of a double
   * click must not send the same again.
   */
  const saved = useRef<{ values: Values; at: number } | null>(null)
  const { judge, want } = useJudge(schema)
  const own = judge ? judge(values, toBody(values)) : NONE

  function fault(path: string): string | undefined {
    if (sent || touched.has(path)) {
      const found = Object.entries(own).find(([of]) => covers(path, of))
      if (found) return found[1]
    }
    // The server's faults apply until a value changes.
    if (!refused || refused.values !== values) return undefined
    return Object.entries(refused.faults).find(([of]) => covers(path, of))?.[1]
  }

  const isDoublePress = (): boolean =>
    saved.current !== null && saved.current.values === values && performance.now() - saved.current.at < DOUBLE_PRESS_MS

  async function send(): Promise<void> {
    setSending(true)
    setRefused(null)
    try {
      const answer = await save(toBody(values))
      saved.current = { values, at: performance.now() }
      onSaved(answer)
    } catch (error) {
      const refusal = toRefusal(error)
      setRefused({ refusal, faults: faultsByPath(refusal.details), values })
      setTries((before) => before + 1)
    } finally {
      setSending(false)
    }
  }

  async function judgeAndSend(): Promise<void> {
    submitting.current = true
    try {
      const there = judge ?? (await want())
      const found = there ? there(values, toBody(values)) : NONE
      if (Object.keys(found).length === 0) await send()
      else setTries((before) => before + 1)
    } finally {
      submitting.current = false
    }
  }

  return {
    values,
    set(change) {
      void want()
      onSet?.()
      setValues((before) => ({ ...before, ...change }))
    },
    fault,
    left(path) {
      void want()
      setTouched((before) => (before.has(path) ? before : new Set([...before, path])))
    },
    submit(event) {
      event?.preventDefault()
      if (submitting.current || isDoublePress()) return
      setSent(true)
      void judgeAndSend()
    },
    sending,
    refusal: refused && refused.values === values ? refused.refusal : null,
    faults: { ...(refused && refused.values === values && refused.faults), ...(sent && own) },
    tries,
    changed: values !== first
  }
}
