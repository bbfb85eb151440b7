/** A field for a text of several lines, which has the cursor when its dialog opens. */
import { Textarea } from '@mantine/core'
import type { Form } from './useForm.ts'

export interface LongTextProps<Name extends string> {
  form: Form<Record<Name, string>>
  /** Of the value, and the path in the body. */
  name: Name
  label: string
  hint: string
}

export function LongText<Name extends string>({ form, name, label, hint }: LongTextProps<Name>) {
  const change = (text: string): void => {
    const changed: Partial<Record<Name, string>> = {}
    changed[name] = text
    form.set(changed)
  }
  return (
    <Textarea
      label={label}
      description={hint}
      rows={3}
      value={form.values[name]}
      onChange={(event) => change(event.currentTarget.value)}
      error={form.fault(name)}
      data-autofocus
    />
  )
}
