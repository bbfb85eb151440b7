/**
 * The last 24 hours in a row of a list: a bar for each hour in its worst state, and a line of the
 * response times.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Kind, type StripData, stripQuery } from '../api/strips.ts'
import { stripText } from '../texts/strip.ts'
import { durationInWords } from './duration-words.ts'
import { msInWords } from './figures.ts'
import { useRested } from './rested.ts'
import { type Slot, stateOf } from './StatusBand.tsx'
import classes from './Strip.module.css'

const sum = (slots: readonly Slot[], of: (slot: Slot) => number): number => slots.reduce((all, slot) => all + of(slot), 0)

/** The text for people who cannot see the bars. */
function inWords(slots: readonly Slot[]): string {
  const down = sum(slots, ({ down_seconds }) => down_seconds)
  const known = sum(slots, ({ up_seconds, degraded_seconds }) => up_seconds + degraded_seconds)
  if (down >= 1) return stripText('strip.down', { time: durationInWords(down) })
  return known >= 1 ? stripText('strip.up') : stripText('strip.unknown')
}

const STRIP_WIDTH = 120
const SPARK_WIDTH = 72
const HEIGHT = 20

/**
 * Returns the path of the line: a point for each hour that has a median, a gap for each hour
 * without one.
 */
function pathOf(medians: readonly (number | null)[]): string {
  const known = medians.filter((median) => median !== null)
  const most = Math.max(...known)
  const least = Math.min(...known)
  const step = SPARK_WIDTH / Math.max(1, medians.length - 1)
  // A constant value is drawn as a line in the middle.
  const y = (value: number): number => (most === least ? HEIGHT / 2 : HEIGHT - 2 - ((value - least) / (most - least)) * (HEIGHT - 4))
  return medians
    .map((median, at) =>
      median === null ? '' : `${at > 0 && medians[at - 1] !== null ? 'L' : 'M'}${(at * step).toFixed(1)} ${y(median).toFixed(1)}`
    )
    .join('')
}

/**
 * Returns one path for each state, with a bar for each of its slots. One path per state keeps
 * drawing cheap: a list draws a dozen rows at once.
 */
function barsOf(slots: readonly Slot[]): Map<string, string> {
  const step = STRIP_WIDTH / slots.length
  const bars = new Map<string, string>()
  for (const [at, slot] of slots.entries()) {
    const state = stateOf(slot)
    bars.set(state, `${bars.get(state) ?? ''}M${(at * step).toFixed(1)} 0h${(step - 1).toFixed(1)}v${HEIGHT}h${(1 - step).toFixed(1)}z`)
  }
  return bars
}

function Bars({ data }: { data: StripData | undefined }) {
  if (!data || data.slots.length === 0) return <span className={classes.strip} />
  const words = inWords(data.slots)
  return (
    <svg className={classes.strip} viewBox={`0 0 ${STRIP_WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
      <title>{words}</title>
      {[...barsOf(data.slots)].map(([state, path]) => (
        <path key={state} data-state={state} d={path} />
      ))}
    </svg>
  )
}

function Spark({ data }: { data: StripData | undefined }) {
  const known = data?.medians.filter((median) => median !== null) ?? []
  if (!data || known.length < 2) return <span className={classes.spark} />
  const words = stripText('spark.range', { least: msInWords(Math.min(...known)), most: msInWords(Math.max(...known)) })
  return (
    <svg className={classes.spark} viewBox={`0 0 ${SPARK_WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
      <title>{words}</title>
      <path d={pathOf(data.medians)} />
    </svg>
  )
}

/**
 * Whether the row may show its data. A row that appears during scrolling waits for the scrolling to
 * rest; data that is already cached shows at once.
 */
function useDrawn(kind: Kind, id: string): boolean {
  const queries = useQueryClient()
  return useRested() || queries.getQueryData(stripQuery(kind, id).queryKey) !== undefined
}

export function Strip(of: { kind: Kind; id: string }) {
  return useDrawn(of.kind, of.id) ? <LoadedStrip {...of} /> : <Bars data={undefined} />
}

function LoadedStrip({ kind, id }: { kind: Kind; id: string }) {
  const { data } = useQuery(stripQuery(kind, id))
  return <Bars data={data} />
}

export interface StripAndSparkProps {
  /** The id of the monitor. */
  id: string
  /** Class names of the two cells. */
  strip: string | undefined
  spark: string | undefined
}

/** Strip and spark line as two cells of a row that share one request. */
export function StripAndSpark(of: StripAndSparkProps) {
  return useDrawn('monitor', of.id) ? <LoadedCells {...of} /> : <Cells {...of} data={undefined} />
}

function LoadedCells(of: StripAndSparkProps) {
  const { data } = useQuery(stripQuery('monitor', of.id))
  return <Cells {...of} data={data} />
}

function Cells({ strip, spark, data }: StripAndSparkProps & { data: StripData | undefined }) {
  return (
    <>
      <span className={strip}>
        <Bars data={data} />
      </span>
      <span className={spark}>
        <Spark data={data} />
      </span>
    </>
  )
}
