/** How long the last runs took, where the job also tells of its start. */
import { useQuery } from '@tanstack/react-query'
import { runsQuery } from '../../api/heartbeats.ts'
import type { HeartbeatWithSchedule, Ping } from '../../api/shapes.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { Plot, type PlotSeries } from '../../parts/Plot.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { isGood, runInWords } from './words.ts'

/** One run is a figure, not a course. */
const LEAST_RUNS = 2

const seriesOf = (label: string, runs: readonly Ping[]): PlotSeries[] =>
  runs.length === 0
    ? []
    : [{ label, points: runs.map(({ received_at, duration_ms }) => ({ at: Date.parse(received_at), value: duration_ms })).reverse() }]

/**
 * The longest pause between two of its next times, ms: runs further apart than two of them have one
 * missing between them.
 */
function pauseMs(next: readonly string[]): number {
  const pauses = next.map((at, nth) => Date.parse(next[nth + 1] ?? at) - Date.parse(at))
  return Math.max(60_000, ...pauses)
}

/** The middle one, or the mean of the two in the middle; `sorted` has one at least. */
function medianOf(sorted: readonly number[]): number {
  const half = Math.floor(sorted.length / 2)
  const [upper = 0, lower = upper] = [sorted[half], sorted[half - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}

/** Of the runs that are plotted. */
function Figures({ runs, failed }: { runs: readonly Ping[]; failed: number }) {
  const sorted = runs.map(({ duration_ms }) => duration_ms ?? 0).sort((one, other) => one - other)
  return (
    <Facts
      short
      facts={[
        [heartbeatsText('runs.count'), runs.length],
        [heartbeatsText('runs.median'), runInWords(medianOf(sorted))],
        [heartbeatsText('runs.shortest'), runInWords(sorted[0] ?? 0)],
        [heartbeatsText('runs.longest'), runInWords(sorted.at(-1) ?? 0)],
        [heartbeatsText('runs.failed'), heartbeatsText('runs.failed_value', { count: failed, all: runs.length })]
      ]}
    />
  )
}

export function Runs({ heartbeat: { id, name, next_expected } }: { heartbeat: HeartbeatWithSchedule }) {
  const { data } = useQuery(runsQuery(id))
  const runs = data?.items.filter(({ duration_ms }) => duration_ms !== null) ?? []
  const [newest] = runs
  const oldest = runs.at(-1)
  if (!newest || !oldest || runs.length < LEAST_RUNS) return null
  const failed = runs.filter((run) => !isGood(run))
  return (
    <Section title={heartbeatsText('runs.title')}>
      <Figures runs={runs} failed={failed.length} />
      <Plot
        title={heartbeatsText('runs.plot', { count: runs.length, name })}
        series={[...seriesOf(heartbeatsText('runs.success'), runs.filter(isGood)), ...seriesOf(heartbeatsText('runs.failed'), failed)]}
        span={{ from: Date.parse(oldest.received_at), to: Date.parse(newest.received_at) + 1 }}
        gapMs={2.5 * pauseMs(next_expected)}
        format={runInWords}
        height={180}
      />
    </Section>
  )
}
