/**
 * The order in which the person is notified, usually and when it is urgent, and the hours without
 * notifications.
 */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_RULES } from '../../../../schemas/http/notification-words.ts'
import { weekdays } from '../../../../schemas/http/routing-words.ts'
import { changePreferences } from '../../api/reach.ts'
import type { ContactMethod, Preferences } from '../../api/shapes.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { type Begun, useBegun } from '../../forms/useBegun.ts'
import { useForm } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { ownZone } from '../../parts/clock.ts'
import { tellDone } from '../../parts/tell.ts'
import { reachText } from '../../texts/reach.ts'
import { changeOf, rulesOf, type Wishes } from './methods.ts'
import classes from './Reach.module.css'

type Rule = Preferences['rules']['default'][number]
type Quiet = NonNullable<Preferences['quiet_hours']>
type Digest = Preferences['digest']

const rhythms = ['none', 'daily', 'weekly'] as const

const usualQuiet = (): Quiet => ({
  time_zone: ownZone(),
  days: [...weekdays],
  from: '22:00',
  to: '07:00',
  except_severity: ['critical'],
  hold: 'digest',
  apply_while_on_call: false
})

export function WishesForm({ preferences }: { preferences: Preferences }) {
  const form = useBegun(preferences)
  return <Fields key={form.begun.version} form={form} methods={preferences.contact_methods} />
}

function Fields({ form: { begun, onSet, begin }, methods }: { form: Begun<Preferences>; methods: readonly ContactMethod[] }) {
  const queries = useQueryClient()
  const [before] = useState((): Wishes => {
    const { rules, quiet_hours, digest, shift_reminders_minutes, handoff_summary } = begun
    return { rules, quiet_hours, digest, shift_reminders_minutes, handoff_summary }
  })
  const form = useForm({
    initial: before,
    schema: async () => (await import('../../../../schemas/http/notification-preferences.ts')).PutPreferencesBody,
    toBody: (values) => values,
    save: (values) => changePreferences(queries, (now) => changeOf(before, values, now)),
    onSaved: (saved) => {
      begin(saved)
      tellDone(reachText('save.done'))
    },
    onSet
  })
  const { values, set, fault } = form
  return (
    <Form form={form} verb={reachText('save.verb')}>
      {(['default', 'high'] as const).map((urgency) => (
        <Group key={urgency} title={reachText(`rules.${urgency}`)} hint={reachText(`rules.hint.${urgency}`)}>
          <Rules
            rules={rulesOf(values.rules[urgency], methods)}
            methods={methods}
            name={reachText(`rules.${urgency}`)}
            onChange={(changed) => set({ rules: { ...values.rules, [urgency]: changed } })}
          />
        </Group>
      ))}
      <Group title={reachText('digest.title')} hint={reachText('digest.hint')}>
        <DigestFields digest={values.digest} onChange={(changed) => set({ digest: changed })} fault={fault} />
        <Reminders minutes={values.shift_reminders_minutes} onChange={(minutes) => set({ shift_reminders_minutes: minutes })} />
        <Checkbox
          label={reachText('shifts.handoff')}
          checked={values.handoff_summary}
          onChange={(event) => set({ handoff_summary: event.currentTarget.checked })}
        />
      </Group>
      <Group title={reachText('quiet.title')}>
        <Checkbox
          label={reachText('quiet.on')}
          checked={values.quiet_hours !== null}
          onChange={(event) => set({ quiet_hours: event.currentTarget.checked ? usualQuiet() : null })}
        />
        {values.quiet_hours && <QuietFields quiet={values.quiet_hours} onChange={(quiet) => set({ quiet_hours: quiet })} fault={fault} />}
      </Group>
    </Form>
  )
}

interface DigestProps {
  digest: Digest
  onChange: (digest: Digest) => void
  fault: (path: string) => string | undefined
}

function DigestFields({ digest, onChange, fault }: DigestProps) {
  return (
    <div className={classes.line}>
      <NativeSelect
        label={reachText('digest.every')}
        data={rhythms.map((every) => ({ value: every, label: reachText(`digest.${every}`) }))}
        value={digest.every}
        onChange={(event) => onChange({ ...digest, every: rhythms.find((every) => every === event.currentTarget.value) ?? 'none' })}
      />
      {digest.every !== 'none' && (
        <TextInput
          type="time"
          label={reachText('digest.at')}
          value={digest.at}
          onChange={(event) => onChange({ ...digest, at: event.currentTarget.value })}
          error={fault('digest.at')}
        />
      )}
    </div>
  )
}

/** Reminder times that most people want. Other times that were set through the API stay. */
const befores: Readonly<Record<number, string>> = {
  10080: reachText('shifts.week'),
  2880: reachText('shifts.two_days'),
  1440: reachText('shifts.day'),
  120: reachText('shifts.hours'),
  15: reachText('shifts.quarter')
}
const MAX_REMINDERS = 5

function Reminders({ minutes, onChange }: { minutes: readonly number[]; onChange: (minutes: number[]) => void }) {
  const all = [...new Set([...Object.keys(befores).map(Number), ...minutes])].sort((one, other) => other - one)
  return (
    <Checkbox.Group
      label={reachText('shifts.before')}
      value={minutes.map(String)}
      onChange={(chosen) => onChange(chosen.map(Number).slice(0, MAX_REMINDERS))}
    >
      <div className={classes.choices}>
        {all.map((one) => (
          <Checkbox key={one} value={String(one)} label={befores[one] ?? reachText('shifts.minutes', { count: one })} mt="xs" />
        ))}
      </div>
    </Checkbox.Group>
  )
}

interface RulesProps {
  rules: readonly Rule[]
  methods: readonly ContactMethod[]
  name: string
  onChange: (rules: Rule[]) => void
}

const MINUTES = [0, 1, 2, 5, 10, 15, 30, 60]

function Rules({ rules, methods, name, onChange }: RulesProps) {
  const [first] = methods
  const change = (at: number, part: Partial<Rule>): void => onChange(rules.map((rule, nth) => (nth === at ? { ...rule, ...part } : rule)))
  const waits = (seconds: number): number[] => [...new Set([...MINUTES.map((minutes) => minutes * 60), seconds])].sort((a, b) => a - b)
  return (
    <>
      {rules.map((rule, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name but their place.
        <div key={at} className={classes.line}>
          <NativeSelect
            label={reachText('rules.method')}
            aria-label={`${name} ${at + 1}: ${reachText('rules.method')}`}
            data={methods.map(({ id, kind, address }) => ({ value: id, label: `${reachText(`kind.${kind}`)}: ${address}` }))}
            value={rule.method_id}
            onChange={(event) => change(at, { method_id: event.currentTarget.value })}
          />
          <NativeSelect
            label={reachText('rules.after')}
            aria-label={`${name} ${at + 1}: ${reachText('rules.after')}`}
            data={waits(rule.delay_seconds).map((seconds) => ({
              value: String(seconds),
              label: seconds === 0 ? reachText('rules.at_once') : reachText('rules.minutes', { count: Math.round(seconds / 6) / 10 })
            }))}
            value={String(rule.delay_seconds)}
            onChange={(event) => change(at, { delay_seconds: Number(event.currentTarget.value) })}
          />
          <Button
            variant="default"
            aria-label={`${name} ${at + 1}: ${reachText('rules.remove')}`}
            onClick={() => onChange(rules.filter((_, nth) => nth !== at))}
          >
            {reachText('methods.remove')}
          </Button>
        </div>
      ))}
      {first && rules.length < MAX_RULES && (
        <div>
          <Button
            variant="default"
            aria-label={`${name}: ${reachText('rules.add')}`}
            onClick={() => onChange([...rules, { method_id: first.id, delay_seconds: rules.length === 0 ? 0 : 300 }])}
          >
            {reachText('rules.add')}
          </Button>
        </div>
      )}
    </>
  )
}

interface QuietProps {
  quiet: Quiet
  onChange: (quiet: Quiet) => void
  fault: (path: string) => string | undefined
}

function QuietFields({ quiet, onChange, fault }: QuietProps) {
  const set = (part: Partial<Quiet>): void => onChange({ ...quiet, ...part })
  return (
    <>
      <div className={classes.line}>
        {(['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="time"
            label={reachText(`quiet.${end}`)}
            value={quiet[end]}
            onChange={(event) => set({ [end]: event.currentTarget.value })}
            error={fault(`quiet_hours.${end}`)}
          />
        ))}
      </div>
      <ZoneSelect value={quiet.time_zone} onChange={(time_zone) => set({ time_zone })} error={fault('quiet_hours.time_zone')} />
      <Checkbox.Group
        label={reachText('quiet.days')}
        value={quiet.days}
        onChange={(days) => set({ days: weekdays.filter((day) => days.includes(day)) })}
        error={fault('quiet_hours.days')}
      >
        <div className={classes.choices}>
          {weekdays.map((day) => (
            <Checkbox key={day} value={day} label={reachText(`day.${day}`)} mt="xs" />
          ))}
        </div>
      </Checkbox.Group>
      <NativeSelect
        label={reachText('quiet.hold')}
        data={(['digest', 'drop'] as const).map((value) => ({ value, label: reachText(`quiet.${value}`) }))}
        value={quiet.hold ?? 'digest'}
        onChange={(event) => set({ hold: event.currentTarget.value === 'drop' ? 'drop' : 'digest' })}
      />
      <Checkbox
        label={reachText('quiet.on_call')}
        checked={quiet.apply_while_on_call ?? false}
        onChange={(event) => set({ apply_while_on_call: event.currentTarget.checked })}
      />
    </>
  )
}
