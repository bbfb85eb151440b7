/** A text field of several lines that is focused when its dialog opens. */
import { Textarea } from '@mantine/core'
import type { Form } from './useForm.ts'

export interface LongTextProps<Name extends string> {
  form: Form<Record<Name, string>>
  /** The name of the value, which is also its path in the body. */
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
