/** The duration of the last runs, for jobs that also report their start. */
import { useQuery } from '@tanstack/react-query'
import { runFiguresQuery, runsQuery } from '../../api/heartbeats.ts'
import type { HeartbeatWithSchedule, Ping, RunFigures } from '../../api/shapes.ts'
import { dayOnly } from '../../parts/clock.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { Plot, type PlotSeries } from '../../parts/Plot.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { isGood, runInWords } from './words.ts'

/** A single run is only a figure; a plot needs at least two. */
const LEAST_RUNS = 2

const seriesOf = (label: string, runs: readonly Ping[]): PlotSeries[] =>
  runs.length === 0
    ? []
    : [{ label, points: runs.map(({ received_at, duration_ms }) => ({ at: Date.parse(received_at), value: duration_ms })).reverse() }]

/**
 * Returns the longest pause between two consecutive expected times, in ms, and at least one minute.
 * When two runs are more than two such pauses apart, a run is missing between them.
 */
function pauseMs(next: readonly string[]): number {
  const pauses = next.map((at, nth) => Date.parse(next[nth + 1] ?? at) - Date.parse(at))
  return Math.max(60_000, ...pauses)
}

/** These figures cover more runs than the plot shows. */
function Figures({ figures: { from, succeeded, failed, duration_ms } }: { figures: RunFigures }) {
  const took = (label: string, ms: number | undefined): [string, string] | null => (ms === undefined ? null : [label, runInWords(ms)])
  return (
    <Facts
      short
      facts={[
        [heartbeatsText('runs.succeeded'), heartbeatsText('runs.since', { count: succeeded, date: dayOnly(from) })],
        failed > 0 ? [heartbeatsText('runs.failed'), String(failed)] : null,
        took(heartbeatsText('runs.median'), duration_ms?.p50),
        took(heartbeatsText('runs.p95'), duration_ms?.p95),
        took(heartbeatsText('runs.shortest'), duration_ms?.min),
        took(heartbeatsText('runs.longest'), duration_ms?.max)
      ]}
    />
  )
}

export function Runs({ heartbeat: { id, name, next_expected } }: { heartbeat: HeartbeatWithSchedule }) {
  const { data } = useQuery(runsQuery(id))
  const { data: figures } = useQuery(runFiguresQuery(id))
  const runs = data?.items.filter(({ duration_ms }) => duration_ms !== null) ?? []
  const [newest] = runs
  const oldest = runs.at(-1)
  if (!newest || !oldest || runs.length < LEAST_RUNS) return null
  const failed = runs.filter((run) => !isGood(run))
  return (
    <Section title={heartbeatsText('runs.title')}>
      {figures && <Figures figures={figures} />}
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
