/**
 * The conditions of a rule in three groups: all, any and none. Each condition is a row with the
 * operators that its field takes and the input that fits the value.
 */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import {
  type ConditionGroup,
  conditionGroups,
  type FixedField,
  fieldKinds,
  MAX_CONDITIONS
} from '../../../../schemas/http/routing-words.ts'
import { ownZone } from '../../parts/clock.ts'
import { wordOf } from '../../search.ts'
import { routingText } from '../../texts/routing.ts'
import { rulesText } from '../../texts/rules.ts'
import { ConditionValue } from './ConditionValue.tsx'
import { fieldWords } from './field-words.ts'
import classes from './RuleForm.module.css'
import type { RuleFormState } from './RuleForm.tsx'
import { type ConditionRow, LABEL, newCondition, opsFor, valueKindOf, withField } from './rule-values.ts'
import { opInWords } from './rule-words.ts'
import { type Things, useThings } from './things.ts'

const groupWords: Readonly<Record<ConditionGroup, string>> = {
  all: routingText('form.all'),
  any: routingText('form.any'),
  none: routingText('form.none')
}

const fixed = Object.keys(fieldKinds) as FixedField[]
const choices = [
  ...fixed.map((field) => ({ value: field as string, label: fieldWords[field] })),
  { value: LABEL, label: rulesText('field.label') }
]

export function ConditionsField({ form }: { form: RuleFormState }) {
  const { match } = form.values
  const count = conditionGroups.reduce((sum, group) => sum + match[group].length, 0)
  const things = useThings(conditionGroups.flatMap((group) => match[group].map(({ field }) => field)))
  return (
    <>
      {conditionGroups.map((group) => (
        <Conditions key={group} group={group} form={form} things={things} isFull={count >= MAX_CONDITIONS} />
      ))}
    </>
  )
}

interface ConditionsProps {
  group: ConditionGroup
  form: RuleFormState
  things: Things
  isFull: boolean
}

function Conditions({ group, form: { values, set, fault, left }, things, isFull }: ConditionsProps) {
  const rows = values.match[group]
  const change = (next: ConditionRow[]): void => set({ match: { ...values.match, [group]: next } })
  return (
    <div className={classes.group}>
      <p className={classes.groupName}>{groupWords[group]}</p>
      {rows.length > 0 && (
        <ol className={classes.conditions} aria-label={groupWords[group]}>
          {rows.map((row, at) => (
            <ConditionFields
              key={row.key}
              row={row}
              place={{ at: at + 1, group: groupWords[group] }}
              things={things}
              fault={(field) => fault(`match.${group}[${at}].${field}`)}
              left={() => left(`match.${group}[${at}]`)}
              onChange={(next) => change(rows.map((one) => (one.key === row.key ? next : one)))}
              onRemove={() => change(rows.filter((one) => one.key !== row.key))}
            />
          ))}
        </ol>
      )}
      {!isFull && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          aria-label={routingText('form.add_to', { group: groupWords[group] })}
          onClick={() => change([...rows, newCondition(ownZone())])}
        >
          {routingText('form.add')}
        </Button>
      )}
    </div>
  )
}

export interface ConditionRowProps {
  row: ConditionRow
  /** Used in the accessible names of its inputs. */
  place: { at: number; group: string }
  things: Things
  fault: (field: 'field' | 'op' | 'value') => string | undefined
  left: () => void
  onChange: (row: ConditionRow) => void
  onRemove: () => void
}

export function ConditionFields({ row, place, things, fault, left, onChange, onRemove }: ConditionRowProps) {
  const { field, label, op } = row
  const ops = opsFor(field)
  const kind = valueKindOf(field, op)
  const offered = choices.some(({ value }) => value === field) ? choices : [...choices, { value: field, label: field }]
  return (
    <li className={classes.condition} data-label={field === LABEL || undefined}>
      <NativeSelect
        aria-label={routingText('form.field_of', place)}
        data={offered}
        value={field}
        error={field === LABEL ? undefined : fault('field')}
        onChange={(event) => onChange(withField(row, event.currentTarget.value))}
      />
      {field === LABEL && (
        <TextInput
          aria-label={routingText('form.label_of', place)}
          placeholder={routingText('form.label_placeholder')}
          value={label}
          error={fault('field')}
          onChange={(event) => onChange({ ...row, label: event.currentTarget.value })}
          onBlur={left}
        />
      )}
      <NativeSelect
        aria-label={routingText('form.op_of', place)}
        data={ops.map((one) => ({ value: one, label: opInWords(one) }))}
        value={op}
        error={fault('op')}
        onChange={(event) => onChange({ ...row, op: wordOf(event.currentTarget.value, ops) ?? op })}
      />
      {kind !== 'none' && (
        <div className={classes.value}>
          <ConditionValue
            row={row}
            label={routingText('form.value_of', place)}
            choices={things.choicesOf(field)}
            error={fault('value')}
            left={left}
            onChange={onChange}
          />
        </div>
      )}
      <ActionIcon className={classes.remove} aria-label={routingText('form.remove', place)} onClick={onRemove}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </li>
  )
}
