/** A form for a span of time: a duration until now, or two times in the person's own zone. */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { rangesText } from '../texts/ranges.ts'
import { ownZone } from './clock.ts'
import classes from './Range.module.css'
import type { RangeProps } from './Range.tsx'
import { type RangeUnit, rangeNamed, rangeUnits, spanOf, zoomed } from './range.ts'
import { fieldOf, ofField } from './zone-times.ts'

export function CustomRange({ value, onChange }: RangeProps) {
  return (
    <>
      <Last onChange={onChange} />
      <Between value={value} onChange={onChange} />
    </>
  )
}

function Last({ onChange }: Pick<RangeProps, 'onChange'>) {
  const [count, setCount] = useState('3')
  const [unit, setUnit] = useState<RangeUnit>('d')
  const [sent, setSent] = useState(false)
  const name = rangeNamed(Number(count), unit)
  function submit(event: FormEvent): void {
    event.preventDefault()
    setSent(true)
    if (name !== null) onChange({ range: name })
  }
  return (
    <form onSubmit={submit} className={classes.row} noValidate>
      <TextInput
        label={rangesText('range.last')}
        inputMode="numeric"
        value={count}
        onChange={({ currentTarget }) => setCount(currentTarget.value)}
        error={sent && name === null && rangesText('range.wrong')}
        data-autofocus
      />
      <NativeSelect
        aria-label={rangesText('range.unit')}
        value={unit}
        onChange={({ currentTarget }) => setUnit(rangeUnits.find((one) => one === currentTarget.value) ?? 'd')}
        data={rangeUnits.map((one) => ({ value: one, label: rangesText(`range.${one}`) }))}
      />
      <Button type="submit" variant="default">
        {rangesText('range.apply')}
      </Button>
    </form>
  )
}

function Between({ value, onChange }: RangeProps) {
  const [first] = useState(() => spanOf(value, Date.now()))
  const [from, setFrom] = useState(() => fieldOf(ownZone(), first.from))
  const [to, setTo] = useState(() => fieldOf(ownZone(), first.to))
  const [sent, setSent] = useState(false)
  const span = { from: ofField(ownZone(), from) ?? Number.NaN, to: ofField(ownZone(), to) ?? Number.NaN }
  const isSpan = span.from < span.to
  function submit(event: FormEvent): void {
    event.preventDefault()
    setSent(true)
    if (isSpan) onChange(zoomed(span))
  }
  return (
    <form onSubmit={submit} className={classes.between} noValidate>
      <p>{rangesText('range.or')}</p>
      <TextInput
        type="datetime-local"
        label={rangesText('range.from')}
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label={rangesText('range.to')}
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        error={sent && !isSpan && rangesText('range.backwards')}
      />
      <Button type="submit" variant="default">
        {rangesText('range.apply')}
      </Button>
    </form>
  )
}
