/** Active hours of a layer: the days on which they open, and their start and end. */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { weekdays } from '../../../../schemas/http/routing-words.ts'
import { onCallText } from '../../texts/on-call.ts'
import { DaysField } from './DaysField.tsx'
import classes from './ScheduleForm.module.css'
import type { RestrictionRow } from './schedule-values.ts'
import { weekdayName } from './zone-days.ts'

export interface RestrictionFieldsProps {
  label: string
  row: RestrictionRow
  onChange: (row: RestrictionRow) => void
  onRemove: () => void
  fault: (field: 'days' | 'from' | 'to' | 'to_day') => string | undefined
}

export function RestrictionFields({ label, row, onChange, onRemove, fault }: RestrictionFieldsProps) {
  const { days, from, to, to_day } = row
  const set = (change: Partial<RestrictionRow>): void => onChange({ ...row, ...change })
  return (
    <fieldset className={classes.window} aria-label={label}>
      <DaysField
        label={onCallText('window.days')}
        hint={onCallText('window.days_hint')}
        days={days}
        onChange={(next) => set({ days: next })}
        error={fault('days')}
      />
      <div className={classes.fields}>
        <TextInput
          type="time"
          label={onCallText('window.from')}
          value={from}
          onChange={(event) => set({ from: event.currentTarget.value })}
          error={fault('from')}
        />
        <TextInput
          type="time"
          label={onCallText('window.to')}
          value={to}
          onChange={(event) => set({ to: event.currentTarget.value })}
          error={fault('to')}
        />
        <NativeSelect
          label={onCallText('window.to_day')}
          data={[
            { value: '', label: onCallText('window.to_day_none') },
            ...weekdays.map((day, index) => ({ value: day, label: weekdayName(index) }))
          ]}
          value={to_day}
          onChange={(event) => set({ to_day: weekdays.find((day) => day === event.currentTarget.value) ?? '' })}
          error={fault('to_day')}
        />
      </div>
      <div>
        <Button variant="default" size="xs" onClick={onRemove} aria-label={onCallText('window.remove_one', { label })}>
          {onCallText('window.remove')}
        </Button>
      </div>
    </fieldset>
  )
}
