/** A field for a length of time, as a number and a unit. The value is in seconds. */
import { Input } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { durationInWords } from '../parts/Since.tsx'
import { formsText } from '../texts/forms.ts'
import classes from './Duration.module.css'
import { NumberInput, Select } from './late-fields.tsx'

const units = [
  { value: '1', name: 'seconds' },
  { value: '60', name: 'minutes' },
  { value: '3600', name: 'hours' },
  { value: '86400', name: 'days' }
] as const

/** Returns the largest unit that divides the value evenly. */
const unitOf = (seconds: number): number =>
  units.map(({ value }) => Number(value)).findLast((unit) => seconds > 0 && seconds % unit === 0) ?? 60

export interface DurationProps {
  label: string
  description?: ReactNode
  /** Seconds; NaN while the field is empty. */
  value: number
  onChange: (seconds: number) => void
  onBlur?: () => void
  error?: string | undefined
  /** Says what an empty field means. */
  placeholder?: string
}

/**
 * Adds the unit to a limit: the schema gives it as bare seconds, as in `This must be at least 30.`
 */
const withUnit = (fault: string): string => fault.replace(/\d+(?=\.$)/, (seconds) => durationInWords(Number(seconds)))

export function Duration({ label, description, value, onChange, onBlur, error, placeholder = '' }: DurationProps) {
  const [unit, setUnit] = useState(() => unitOf(value))
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={error && withUnit(error)}>
      <div className={classes.fields}>
        <NumberInput
          aria-label={formsText('duration.number', { label })}
          value={Number.isNaN(value) ? '' : value / unit}
          onChange={(typed) => onChange(typed === '' ? Number.NaN : Math.round(Number(typed) * unit))}
          onBlur={onBlur}
          min={0}
          placeholder={placeholder}
          error={error !== undefined}
          className={classes.number}
        />
        <Select
          aria-label={formsText('duration.unit', { label })}
          data={units.map((one) => ({ value: one.value, label: formsText(`unit.${one.name}`) }))}
          value={String(unit)}
          onChange={(chosen) => {
            if (chosen === null) return
            setUnit(Number(chosen))
            onChange(Math.round((value / unit) * Number(chosen)))
          }}
          className={classes.unit}
        />
      </div>
    </Input.Wrapper>
  )
}
