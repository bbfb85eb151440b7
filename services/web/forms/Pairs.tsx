/**
 * Pairs of a name and a value, in rows that can be added and removed: labels, or a sender's words
 * with their meaning here.
 */
import { ActionIcon, Button, Input, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { formsText } from '../texts/forms.ts'
import classes from './Pairs.module.css'
import type { Pair } from './pair-values.ts'

export interface PairsProps<Value extends string> {
  label: string
  description?: ReactNode
  /** The label of the name column, such as `Name of label 1`. */
  nameLabel: string
  namePlaceholder?: string
  pairs: readonly Pair<Value>[]
  onChange: (pairs: readonly Pair<Value>[]) => void
  /** What a new row has. */
  fresh: Value
  /** Draws the field of one value; `label` is for screen readers. */
  field: (value: Value, onChange: (value: Value) => void, label: string) => ReactNode
  addLabel: string
  error?: string | undefined
}

export function Pairs<Value extends string>(props: PairsProps<Value>) {
  const { label, description, nameLabel, namePlaceholder, pairs, onChange, fresh, field, addLabel, error } = props
  const replace = (at: number, change: Partial<Pair<Value>>): void =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)))
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <fieldset className={classes.rows} aria-label={label}>
        {pairs.map(({ name, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
          <div key={at} className={classes.row}>
            <TextInput
              aria-label={`${nameLabel} ${at + 1}`}
              placeholder={namePlaceholder}
              value={name}
              onChange={(event) => replace(at, { name: event.currentTarget.value })}
            />
            {field(value, (changed) => replace(at, { value: changed }), formsText('pairs.value', { name: nameLabel, at: at + 1 }))}
            <ActionIcon
              aria-label={formsText('pairs.remove', { name: name || formsText('pairs.row', { at: at + 1 }) })}
              onClick={() => onChange(pairs.filter((_, index) => index !== at))}
            >
              <X size={15} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.add}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => onChange([...pairs, { name: '', value: fresh }])}
        >
          {addLabel}
        </Button>
      </fieldset>
    </Input.Wrapper>
  )
}
