/**
 * The choice of a span of time: the usual ones, any other one by hand, and the span selected in a
 * plot with a way back. The choice is stored in the address (range.ts).
 */
import { UnstyledButton } from '@mantine/core'
import { CalendarRange, ZoomOut } from 'lucide-react'
import { Suspense } from 'react'
import { rangesText } from '../texts/ranges.ts'
import { PopoverButton } from './PopoverButton.tsx'
import { lazyPart } from './part.ts'
import classes from './Range.module.css'
import { type RangeName, type RangeSearch, rangeNames, USUAL } from './range.ts'
import { rangeWords } from './range-words.ts'
import { dayTime } from './Since.tsx'

const Custom = lazyPart(async () => (await import('./CustomRange.tsx')).CustomRange)

export interface RangeProps {
  value: RangeSearch
  onChange: (next: RangeSearch) => void
}

const short = (name: RangeName): string => name.replace(/(?=[mhd])/, ' ')
const isUsual = (name: RangeName): boolean => rangeNames.some((one) => one === name)

export function Range({ value, onChange }: RangeProps) {
  const { range = USUAL, from, to } = value
  const chosen = from !== undefined && to !== undefined
  const names: readonly RangeName[] = chosen || isUsual(range) ? rangeNames : [range, ...rangeNames]
  return (
    <fieldset className={classes.range}>
      <legend className="unseen">{rangesText('range.label')}</legend>
      {chosen && (
        <UnstyledButton className={classes.one} aria-pressed onClick={() => onChange({})} title={rangesText('range.back')}>
          <ZoomOut size={14} aria-hidden />
          {rangesText('range.between', { from: dayTime(from), to: dayTime(to) })}
        </UnstyledButton>
      )}
      {names.map((name) => (
        <UnstyledButton
          key={name}
          className={classes.one}
          aria-pressed={!chosen && name === range}
          title={rangesText('range.show', { what: rangeWords(name) })}
          onClick={() => onChange(name === USUAL ? {} : { range: name })}
        >
          {short(name)}
        </UnstyledButton>
      ))}
      <PopoverButton
        position="bottom-end"
        className={classes.custom}
        label={rangesText('range.custom')}
        button={
          <UnstyledButton className={classes.one}>
            <CalendarRange size={14} aria-hidden />
            {rangesText('range.custom')}
          </UnstyledButton>
        }
      >
        {(close) => (
          <Suspense>
            <Custom
              value={value}
              onChange={(next) => {
                close()
                onChange(next)
              }}
            />
          </Suspense>
        )}
      </PopoverButton>
    </fieldset>
  )
}
