/**
 * The choice of a span of time: the usual ones, and what was chosen in a plot with a way back. It
 * stands in the address (range.ts).
 */
import { UnstyledButton } from '@mantine/core'
import { ZoomOut } from 'lucide-react'
import classes from './Range.module.css'
import { type RangeSearch, rangeNames, rangeWords } from './range.ts'
import { dayTime } from './Since.tsx'

export interface RangeProps {
  value: RangeSearch
  onChange: (next: RangeSearch) => void
}

export function Range({ value: { range = '24h', from, to }, onChange }: RangeProps) {
  const chosen = from !== undefined && to !== undefined
  return (
    <fieldset className={classes.range}>
      <legend className="unseen">Span of time</legend>
      {chosen && (
        <UnstyledButton className={classes.one} aria-pressed onClick={() => onChange({})} title="Back to the last 24 hours">
          <ZoomOut size={14} aria-hidden />
          {dayTime(from)} to {dayTime(to)}
        </UnstyledButton>
      )}
      {rangeNames.map((name) => (
        <UnstyledButton
          key={name}
          className={classes.one}
          aria-pressed={!chosen && name === range}
          title={`Show ${rangeWords[name]}`}
          onClick={() => onChange(name === '24h' ? {} : { range: name })}
        >
          {name.replace(/(?=[hd])/, ' ')}
        </UnstyledButton>
      ))}
    </fieldset>
  )
}
