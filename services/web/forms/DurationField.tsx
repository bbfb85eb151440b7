/** A length of time as a number and its unit. What the form has, and what faults are told in, is seconds. */
import { Input, NativeSelect } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { durationInWords } from '../parts/Since.tsx'
import classes from './DurationField.module.css'

const units = [
  ['seconds', 1],
  ['minutes', 60],
  ['hours', 3_600],
  ['days', 86_400]
] as const

export interface DurationFieldProps {
  label: string
  description?: ReactNode
  /** null: the field is empty. */
  seconds: number | null
  onChange: (seconds: number | null) => void
  onBlur?: () => void
  error?: string | undefined
  /** What an empty field means. */
  placeholder?: string
  required?: boolean
}

/** The largest unit that leaves a whole number. */
const unitOf = (seconds: number | null): number => units.findLast(([, size]) => seconds && seconds % size === 0)?.[1] ?? 60

/** `This has to be at least 30.` says of which unit. */
const withUnit = (fault: string): string => fault.replace(/\d+(?=\.?$)/, (limit) => durationInWords(Number(limit)))

/** Nothing else can be typed: what is in the field is a number, or the beginning of one. */
const NUMBER = /^\d*[.,]?\d*$/

const said = (text: string, size: number): number | null => (/\d/.test(text) ? Math.round(Number(text.replace(',', '.')) * size) : null)

export function DurationField({
  label,
  description,
  seconds,
  onChange,
  onBlur,
  error,
  placeholder = '',
  required = false
}: DurationFieldProps) {
  const [size, setSize] = useState(() => unitOf(seconds))
  const [text, setText] = useState(() => (seconds === null ? '' : String(seconds / unitOf(seconds))))
  const id = useId()
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error === undefined ? undefined : withUnit(error)}
      required={required}
      withAsterisk={false}
    >
      <div className={classes.pair}>
        <Input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          onChange={({ currentTarget: { value } }) => {
            if (!NUMBER.test(value)) return
            setText(value)
            onChange(said(value, size))
          }}
          onBlur={onBlur}
          error={error !== undefined}
          placeholder={placeholder}
          required={required}
        />
        <NativeSelect
          aria-label={`Unit of ${label.toLowerCase()}`}
          data={units.map(([name, each]) => ({ value: String(each), label: name }))}
          value={String(size)}
          onChange={({ currentTarget: { value } }) => {
            setSize(Number(value))
            onChange(said(text, Number(value)))
          }}
        />
      </div>
    </Input.Wrapper>
  )
}
