/**
 * Shifts as bars on one timeline: who is on call, by colour and by name. Gaps are red and say so. A
 * mouse or a pen marks a span by dragging. Touch scrolls the page instead, and the dialog behind
 * each bar has two fields for the times.
 */
import { ArrowLeftRight, TriangleAlert, UserPen } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import type { ShiftItem } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { type Bar, barsOf, type Line, placeOf, sentenceOf, whoOf } from './bars.ts'
import classes from './Calendar.module.css'

export interface Look {
  zone: string
  nameOf: (id: string) => string
  colours: ReadonlyMap<string, number>
}

export interface LaneProps {
  label: string
  line: Line
  /** Instants at which days begin, in epoch ms. */
  marks: readonly number[]
  shifts: readonly ShiftItem[]
  look: Look
  /** Epoch ms. */
  now: number
  /** If absent, the bars are not buttons. */
  onOpen?: ((shift: ShiftItem) => void) | undefined
  /** Called with the span that was marked, in epoch ms. */
  onMark?: ((from: number, to: number) => void) | undefined
  quiet?: boolean
}

/** How far the pointer must move, in px, to count as a drag and not as a click. */
const DRAG_FROM = 6

export function Lane({ label, line, marks, shifts, look, now, onOpen, onMark, quiet = false }: LaneProps) {
  const { marked, handlers } = useMarking(line, onMark)
  return (
    <div className={classes.lane} data-quiet={quiet || undefined} data-marks={onMark !== undefined || undefined} {...handlers}>
      {marks.map((at) => (
        <i key={at} className={classes.mark} style={{ left: `${placeOf(line, at)}%` }} aria-hidden />
      ))}
      <ul aria-label={label} className={classes.bars}>
        {barsOf(shifts, line).map((bar) => (
          <BarItem key={`${bar.shift.id} ${bar.shift.starts_at}`} bar={bar} look={look} onOpen={onOpen} />
        ))}
      </ul>
      {marked && <i className={classes.marked} aria-hidden style={{ left: `${marked.left}%`, width: `${marked.right - marked.left}%` }} />}
      {now >= line.from && now < line.to && <i className={classes.now} style={{ left: `${placeOf(line, now)}%` }} aria-hidden />}
    </div>
  )
}

function BarItem({ bar, look, onOpen }: { bar: Bar; look: Look; onOpen?: ((shift: ShiftItem) => void) | undefined }) {
  const { shift, left, width, before, after } = bar
  const { user_ids, gap, origin } = shift
  const [first, second] = user_ids.map((id) => look.colours.get(id))
  const sentence = sentenceOf(shift, look.zone, look.nameOf)
  const Icon = gap ? TriangleAlert : origin === 'swap' ? ArrowLeftRight : origin === 'override' ? UserPen : null
  const inside = (
    <>
      {Icon && <Icon size={13} aria-hidden className={classes.icon} />}
      <span className={classes.who}>{whoOf(shift, look.nameOf)}</span>
    </>
  )
  const style = { left: `${left}%`, width: `${width}%` }
  const data = {
    'data-gap': gap || undefined,
    'data-person': gap ? undefined : first,
    'data-second': gap ? undefined : second,
    'data-changed': origin === 'override' || origin === 'swap' || undefined,
    'data-before': before || undefined,
    'data-after': after || undefined
  }
  return (
    <li className={classes.place} style={style}>
      {onOpen ? (
        <button
          type="button"
          className={classes.bar}
          {...data}
          title={sentence}
          aria-label={sentence}
          aria-haspopup="dialog"
          onClick={() => onOpen(shift)}
        >
          {inside}
        </button>
      ) : (
        <div className={classes.bar} {...data} title={sentence}>
          {inside}
        </div>
      )}
    </li>
  )
}

interface Marked {
  left: number
  right: number
}

/** Marks a span of the line by dragging. The click that ends the drag opens nothing. */
function useMarking({ from, to }: Line, onMark: LaneProps['onMark']) {
  const [marked, setMarked] = useState<Marked | null>(null)
  const begun = useRef<{ x: number; moved: boolean } | null>(null)
  if (!onMark) return { marked: null, handlers: {} }

  const percent = (event: PointerEvent<HTMLDivElement>, x: number): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return Math.min(100, Math.max(0, ((x - left) / width) * 100))
  }
  const span = (event: PointerEvent<HTMLDivElement>, x: number): Marked => {
    const [a, b] = [percent(event, x), percent(event, event.clientX)]
    return { left: Math.min(a, b), right: Math.max(a, b) }
  }
  return {
    marked,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLDivElement>) {
        if (event.button === 0 && event.pointerType !== 'touch') begun.current = { x: event.clientX, moved: false }
      },
      onPointerMove(event: PointerEvent<HTMLDivElement>) {
        const at = begun.current
        if (!at || (!at.moved && Math.abs(event.clientX - at.x) < DRAG_FROM)) return
        if (!at.moved) event.currentTarget.setPointerCapture(event.pointerId)
        at.moved = true
        setMarked(span(event, at.x))
      },
      onPointerUp(event: PointerEvent<HTMLDivElement>) {
        const at = begun.current
        begun.current = null
        setMarked(null)
        if (!at?.moved) return
        const { left, right } = span(event, at.x)
        onMark(from + ((to - from) * left) / 100, from + ((to - from) * right) / 100)
      },
      onPointerCancel() {
        begun.current = null
        setMarked(null)
      }
    }
  }
}

/** Explains the marks in bars; shown only where there are such bars. */
export function Legend({ shifts }: { shifts: readonly ShiftItem[] }) {
  const has = (origin: ShiftItem['origin']): boolean => shifts.some((shift) => shift.origin === origin)
  const hasGap = shifts.some(({ gap }) => gap)
  if (!has('override') && !has('swap') && !hasGap) return null
  return (
    <ul className={classes.legend} aria-label={onCallText('legend.label')}>
      {has('override') && (
        <li>
          <UserPen size={13} aria-hidden /> {onCallText('origin.override')}
        </li>
      )}
      {has('swap') && (
        <li>
          <ArrowLeftRight size={13} aria-hidden /> {onCallText('origin.swap')}
        </li>
      )}
      {hasGap && (
        <li>
          <TriangleAlert size={13} aria-hidden /> {onCallText('legend.gap')}
        </li>
      )}
    </ul>
  )
}
