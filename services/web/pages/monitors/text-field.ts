/** What the fields of the monitor form share. */
import type { Form as FormState } from '../../forms/useForm.ts'
import type { Values } from './values.ts'

export type MonitorFormState = FormState<Values>

/** Names of the values that are text. */
type TextKey = { [Key in keyof Values]: Values[Key] extends string ? (string extends Values[Key] ? Key : never) : never }[keyof Values]

/** Returns the props of a text field for `key` of the form and `path` of the body. */
export const textField = ({ values, set, fault, left }: MonitorFormState, key: TextKey, path: string) => ({
  value: values[key],
  onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [key]: value }),
  onBlur: () => left(path),
  error: fault(path)
})
