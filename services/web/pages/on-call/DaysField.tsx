/** Days of the week, each with a checkbox. */
import { Checkbox, Input } from '@mantine/core'
import { weekdays } from '../../../../schemas/http/routing-words.ts'
import classes from './ScheduleForm.module.css'
import { weekdayName } from './zone-days.ts'

type Day = (typeof weekdays)[number]

export interface DaysFieldProps {
  label: string
  hint: string
  days: readonly Day[]
  onChange: (days: Day[]) => void
  error: string | undefined
}

export function DaysField({ label, hint, days, onChange, error }: DaysFieldProps) {
  return (
    <Input.Wrapper label={label} labelElement="div" description={hint} error={error}>
      <div className={classes.days}>
        {weekdays.map((day, index) => (
          <Checkbox
            key={day}
            label={weekdayName(index)}
            checked={days.includes(day)}
            onChange={(event) => {
              const { checked } = event.currentTarget
              onChange(weekdays.filter((one) => (one === day ? checked : days.includes(one))))
            }}
          />
        ))}
      </div>
    </Input.Wrapper>
  )
}
