/** A time window: the days on which it begins, its start and end, and its zone. */
import { Checkbox, Input, TextInput } from '@mantine/core'
import { weekdays } from '../../../../schemas/http/routing-words.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { routingText } from '../../texts/routing.ts'
import classes from './RuleForm.module.css'
import { withDay } from './rule-values.ts'
import { dayWords, type RuleWindow } from './rule-words.ts'

export interface WindowFieldsProps {
  /** The accessible name, for people who cannot see where the fields stand. */
  label: string
  window: RuleWindow
  onChange: (window: RuleWindow) => void
  fault: (field: 'time_zone' | 'days' | 'from' | 'to') => string | undefined
}

export function WindowFields({ label, window, onChange, fault }: WindowFieldsProps) {
  const { days, from, to, time_zone } = window
  return (
    <fieldset className={classes.window} aria-label={label}>
      <Input.Wrapper label={routingText('form.days')} labelElement="div" description={routingText('form.days_hint')} error={fault('days')}>
        <div className={classes.days}>
          {weekdays.map((day) => (
            <Checkbox
              key={day}
              label={dayWords[day]}
              checked={days.includes(day)}
              onChange={(event) => onChange({ ...window, days: withDay(days, day, event.currentTarget.checked, weekdays) })}
            />
          ))}
        </div>
      </Input.Wrapper>
      <div className={classes.times}>
        <TextInput
          type="time"
          label={routingText('form.from')}
          value={from}
          onChange={(event) => onChange({ ...window, from: event.currentTarget.value })}
          error={fault('from')}
        />
        <TextInput
          type="time"
          label={routingText('form.to')}
          value={to}
          onChange={(event) => onChange({ ...window, to: event.currentTarget.value })}
          error={fault('to')}
        />
        <ZoneSelect
          label={routingText('form.zone')}
          value={time_zone}
          onChange={(zone) => onChange({ ...window, time_zone: zone })}
          error={fault('time_zone')}
        />
      </div>
      <p className={classes.hint}>{routingText('form.to_hint')}</p>
    </fieldset>
  )
}
