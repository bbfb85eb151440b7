/**
 * Shows how something fared over a span of time: one slot for each part of it, in the slot's worst
 * state, with the details under the cursor. It is one tab stop: the arrow keys move between slots,
 * and each slot is read out. The counts of seconds come from the api; nothing is interpolated.
 */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { UptimeAnswer } from '../api/shapes.ts'
import { plotsText } from '../texts/plots.ts'
import { dayTime, durationInWords } from './Since.tsx'
import classes from './StatusBand.module.css'

export type Slot = Pick<
  UptimeAnswer['items'][number],
  'from' | 'to' | 'up_seconds' | 'degraded_seconds' | 'down_seconds' | 'maintenance_seconds' | 'unknown_seconds' | 'paused_seconds'
>

const states = ['down', 'degraded', 'maintenance', 'up', 'paused', 'unknown'] as const
type State = (typeof states)[number]

const wordOf = (state: State): string => plotsText(`state.${state}`)

/**
 * Returns the states that a slot was in with their seconds, worst first. `up` ranks above `paused`
 * and `unknown`, so a slot that was partly up counts as up unless something was wrong.
 */
const parts = (slot: Slot): [State, number][] =>
  states.map((state): [State, number] => [state, slot[`${state}_seconds`]]).filter(([, seconds]) => seconds >= 1)

/** Returns the worst state of the slot. */
export const stateOf = (slot: Slot): State => parts(slot)[0]?.[0] ?? 'unknown'

function wordsOf(slot: Slot): string {
  const had = parts(slot)
  const states =
    had.length <= 1 ? wordOf(stateOf(slot)) : had.map(([state, seconds]) => `${wordOf(state)} ${durationInWords(seconds)}`).join(', ')
  return plotsText('slot.span', { from: dayTime(slot.from), to: dayTime(slot.to), states })
}

const LEAST_SHARE = 0.15

/**
 * Returns the share of the slot that was in its worst state. It has a minimum, so that a short
 * outage stays visible.
 */
function shareOf(slot: Slot): number {
  const had = parts(slot)
  const all = had.reduce((total, [, seconds]) => total + seconds, 0)
  return all === 0 ? 0 : Math.max(LEAST_SHARE, (had[0]?.[1] ?? 0) / all)
}

/** Merges neighbouring slots, so that at most `most` are left. */
export function merged(slots: readonly Slot[], most: number): Slot[] {
  const size = Math.ceil(slots.length / most)
  return Array.from({ length: Math.ceil(slots.length / size) }, (_, nth) => slots.slice(nth * size, (nth + 1) * size)).flatMap((some) => {
    const [first] = some
    const last = some.at(-1)
    if (!first || !last) return []
    const sum = (of: (slot: Slot) => number): number => some.reduce((total, slot) => total + of(slot), 0)
    return {
      from: first.from,
      to: last.to,
      up_seconds: sum((slot) => slot.up_seconds),
      degraded_seconds: sum((slot) => slot.degraded_seconds),
      down_seconds: sum((slot) => slot.down_seconds),
      maintenance_seconds: sum((slot) => slot.maintenance_seconds),
      unknown_seconds: sum((slot) => slot.unknown_seconds),
      paused_seconds: sum((slot) => slot.paused_seconds)
    }
  })
}

/** Returns the index of the slot that contains a time, or null if none does. */
function slotAt(slots: readonly Slot[], at: number): number | null {
  const nth = slots.findIndex(({ from, to }) => Date.parse(from) <= at && at < Date.parse(to))
  return nth < 0 ? null : nth
}

export interface StatusBandProps {
  /** What is shown, and over which time. */
  label: string
  /** In the order of time. */
  slots: readonly Slot[]
  /** A time that another part of the page points at, epoch ms. Its slot is marked too. */
  pointed?: number | null
  /**
   * Called with the middle of the slot under the cursor, epoch ms; null: the cursor is on no slot.
   */
  onPoint?: (at: number | null) => void
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }

export function StatusBand({ label, slots, pointed = null, onPoint }: StatusBandProps) {
  const [own, setOwn] = useState<number | null>(null)
  const at = own ?? (pointed === null ? null : slotAt(slots, pointed))
  function setAt(next: number | null): void {
    setOwn(next)
    const slot = next === null ? undefined : slots[next]
    onPoint?.(slot ? (Date.parse(slot.from) + Date.parse(slot.to)) / 2 : null)
  }
  const last = slots.length - 1
  const shown = at === null ? null : slots[Math.min(at, last)]
  const [first] = slots
  const end = slots[last]
  if (!first || !end) return null

  function onKeyDown(event: KeyboardEvent): void {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    setAt(Math.max(0, Math.min(last, (at ?? last) + step)))
  }

  function onPointerMove({ clientX, currentTarget }: PointerEvent): void {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * slots.length))))
  }

  return (
    <div className={classes.band}>
      <div
        className={classes.slots}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={slots.length}
        aria-valuenow={(at ?? last) + 1}
        aria-valuetext={wordsOf(slots[Math.min(at ?? last, last)] ?? end)}
        onKeyDown={onKeyDown}
        onFocus={() => setAt(own ?? last)}
        onBlur={() => setAt(null)}
        onPointerMove={onPointerMove}
        onPointerDown={onPointerMove}
        onPointerLeave={(event) => {
          if (event.pointerType === 'mouse' && document.activeElement !== event.currentTarget) setAt(null)
        }}
      >
        {slots.map((slot, nth) => (
          <span
            key={slot.from}
            data-state={stateOf(slot)}
            data-at={nth === at || undefined}
            style={{ backgroundSize: `100% ${Math.round(100 * shareOf(slot))}%` }}
          />
        ))}
      </div>
      <div className={classes.foot} aria-hidden>
        {shown ? (
          <span className={classes.words}>{wordsOf(shown)}</span>
        ) : (
          <>
            <span>{dayTime(first.from)}</span>
            <span>{dayTime(end.to)}</span>
          </>
        )}
      </div>
    </div>
  )
}

/** What the colours of a band mean. */
export function StatusBandKey() {
  return (
    <ul className={classes.key}>
      {(['up', 'degraded', 'down', 'maintenance', 'paused', 'unknown'] as const).map((state) => (
        <li key={state}>
          <span data-state={state} aria-hidden />
          {wordOf(state)}
        </li>
      ))}
    </ul>
  )
}
