/** The input that fits the value of a condition: a choice, a number, a text, a list or a window. */
import { NativeSelect, TextInput } from '@mantine/core'
import { kindOf, MAX_CONDITION_LIST } from '../../../../schemas/http/routing-words.ts'
import { MultiSelect, Select, TagsInput } from '../../forms/late-fields.tsx'
import { severityLook } from '../../parts/Status.tsx'
import { routingText } from '../../texts/routing.ts'
import { severities } from '../incidents/search.ts'
import { type ConditionRow, LABEL, valueKindOf } from './rule-values.ts'
import { kindWords } from './rule-words.ts'
import type { Choice } from './things.ts'
import { WindowFields } from './WindowFields.tsx'

const severityChoices = severities.map((value) => ({ value: value as string, label: severityLook(value).word }))
const kindChoices = Object.entries(kindWords).map(([value, label]) => ({ value, label }))

export interface ConditionValueProps {
  row: ConditionRow
  label: string
  /** The choices of a field that holds ids. */
  choices: readonly Choice[]
  error: string | undefined
  left: () => void
  onChange: (row: ConditionRow) => void
}

/** Keeps what is chosen among the choices, even if it no longer exists. */
const withChosen = (choices: readonly Choice[], chosen: readonly string[]): Choice[] => [
  ...choices,
  ...chosen
    .filter((value) => value !== '' && !choices.some((choice) => choice.value === value))
    .map((value) => ({ value, label: routingText('form.gone') }))
]

export function ConditionValue({ row, label, choices, error, left, onChange }: ConditionValueProps) {
  const { field, op, value, list, window } = row
  const kind = valueKindOf(field, op)
  const isOf = field === LABEL ? 'text' : kindOf(field)
  if (kind === 'window')
    return <WindowFields label={label} window={window} onChange={(next) => onChange({ ...row, window: next })} fault={() => error} />
  if (kind === 'list') {
    const set = (next: string[]): void => onChange({ ...row, list: next })
    const offered = isOf === 'severity' ? severityChoices : isOf === 'word' ? kindChoices : isOf === 'id' ? withChosen(choices, list) : null
    const shared = { 'aria-label': label, value: list, error, onBlur: left }
    if (offered)
      return <MultiSelect {...shared} data={offered} onChange={set} searchable={isOf === 'id'} placeholder={routingText('form.choose')} />
    return <TagsInput {...shared} onChange={set} maxTags={MAX_CONDITION_LIST} placeholder={routingText('form.list_placeholder')} />
  }
  const set = (next: string): void => onChange({ ...row, value: next })
  if (isOf === 'severity' || isOf === 'word')
    return (
      <NativeSelect
        aria-label={label}
        data={isOf === 'severity' ? severityChoices : kindChoices}
        value={value}
        error={error}
        onChange={(event) => set(event.currentTarget.value)}
      />
    )
  if (isOf === 'id')
    return (
      <Select
        aria-label={label}
        data={withChosen(choices, [value])}
        value={value === '' ? null : value}
        error={error}
        onChange={(next) => set(next ?? '')}
        placeholder={routingText('form.choose')}
        searchable
        limit={100}
      />
    )
  return (
    <TextInput
      aria-label={label}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      value={value}
      error={error}
      onChange={(event) => set(event.currentTarget.value)}
      onBlur={left}
    />
  )
}
