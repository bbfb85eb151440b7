/** The targets of a step: those chosen, each with its urgency, and a search for more. */
import { ActionIcon, Input, NativeSelect } from '@mantine/core'
import { CalendarClock, type LucideIcon, Megaphone, User, Users, X } from 'lucide-react'
import { useState } from 'react'
import { MAX_TARGETS, type TargetType, urgencies } from '../../../../schemas/http/escalation-words.ts'
import { Select } from '../../forms/late-fields.tsx'
import { wordOf } from '../../search.ts'
import { policiesText } from '../../texts/policies.ts'
import classes from './PolicyForm.module.css'
import type { StepRow, TargetRow } from './policy-values.ts'
import { keyOf, type Targets, targetOf } from './targets.ts'

export const targetIcons: Readonly<Record<TargetType, LucideIcon>> = {
  user: User,
  schedule: CalendarClock,
  team: Users,
  channel: Megaphone,
  webhook: Megaphone
}

export interface TargetsFieldProps {
  step: Pick<StepRow, 'targets'>
  /** The index of the step, from 0. */
  at: number
  targets: Targets
  fault: (field: string) => string | undefined
  onChange: (targets: TargetRow[]) => void
}

export function TargetsField({ step: { targets: chosen }, at, targets, fault, onChange }: TargetsFieldProps) {
  const [typed, setTyped] = useState('')
  const label = policiesText('form.targets', { step: at + 1 })
  const taken = new Set(chosen.map(keyOf))
  const offered = targets.groups
    .map(({ group, items }) => ({ group, items: items.filter(({ value }) => !taken.has(value)) }))
    .filter(({ items }) => items.length > 0)
  const full = chosen.length >= MAX_TARGETS
  const nobody = chosen.length === 0 && fault('targets') !== undefined
  return (
    <Input.Wrapper label={label} labelElement="div">
      {chosen.length > 0 && (
        <ul className={classes.targets} aria-label={label}>
          {chosen.map((target, nth) => (
            <Chosen
              key={keyOf(target)}
              target={target}
              name={targets.nameOf(target)}
              error={fault(`targets[${nth}]`)}
              onChange={(next) => onChange(chosen.map((one, index) => (index === nth ? next : one)))}
              remove={() => onChange(chosen.filter((_, index) => index !== nth))}
            />
          ))}
        </ul>
      )}
      {full ? (
        <p className={classes.hint}>{policiesText('form.targets_full', { count: MAX_TARGETS })}</p>
      ) : (
        <Select
          aria-label={policiesText('form.add_target_to', { step: at + 1 })}
          placeholder={policiesText('form.add_placeholder')}
          data={offered}
          value={null}
          searchValue={typed}
          onSearchChange={setTyped}
          onChange={(value) => {
            const target = value === null ? null : targetOf(value)
            if (target) onChange([...chosen, { ...target, urgency: 'default' }])
            setTyped('')
          }}
          searchable
          limit={100}
          openOnFocus={false}
          nothingFoundMessage={policiesText('form.nothing_found')}
          error={nobody ? policiesText('form.targets_none') : undefined}
        />
      )}
    </Input.Wrapper>
  )
}

interface ChosenProps {
  target: TargetRow
  name: string
  error: string | undefined
  onChange: (target: TargetRow) => void
  remove: () => void
}

function Chosen({ target, name, error, onChange, remove }: ChosenProps) {
  const { type, urgency } = target
  const Icon = targetIcons[type]
  const asksPeople = type === 'user' || type === 'schedule' || type === 'team'
  return (
    <li className={classes.target} data-wrong={error !== undefined || undefined}>
      <Icon size={16} aria-hidden />
      <span className={classes.targetName}>
        <span className={classes.kind}>{policiesText(`target.${type}`)}</span> {name}
      </span>
      {asksPeople && (
        <NativeSelect
          size="xs"
          className={classes.urgency}
          aria-label={policiesText('form.urgency', { name })}
          data={urgencies.map((value) => ({ value, label: policiesText(`urgency.${value}`) }))}
          value={urgency}
          onChange={(event) => onChange({ ...target, urgency: wordOf(event.currentTarget.value, urgencies) ?? urgency })}
        />
      )}
      <ActionIcon aria-label={policiesText('form.remove_target', { name })} onClick={remove}>
        <X size={16} aria-hidden />
      </ActionIcon>
      {error !== undefined && (
        <span className={classes.wrong} role="alert">
          {error}
        </span>
      )}
    </li>
  )
}
