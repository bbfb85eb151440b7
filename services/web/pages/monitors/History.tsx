/**
 * The history of a monitor over a time span: its status, the figures, and response times by region.
 * When analytics is unavailable, the rest of the page still works.
 */
import { UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { incidentsQuery } from '../../api/lists.ts'
import { latencyQuery, monitorUptimeQuery, SLO_TARGET, singleChecksQuery } from '../../api/monitors.ts'
import type { LatencyAnswer, Monitor } from '../../api/shapes.ts'
import { figure, secondTime } from '../../parts/clock.ts'
import { budgetInWords, msInWords, percentInWords } from '../../parts/figures.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { Plot, type PlotBand, type PlotSeries } from '../../parts/Plot.tsx'
import { Range } from '../../parts/Range.tsx'
import { bucketMs, type RangeSearch, singlePlot, singleSpan, spanOf, USUAL, zoomed } from '../../parts/range.ts'
import { rangeWords } from '../../parts/range-words.ts'
import { durationInWords, useNow, useToday } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { merged, StatusBand, StatusBandKey } from '../../parts/StatusBand.tsx'
import { monitorPageText } from '../../texts/monitor-page.ts'
import classes from './History.module.css'
import { percentiles } from './search.ts'

const BAND_SLOTS = 90
const INCIDENTS = 100

const wordsOf = ({ range = USUAL, from }: RangeSearch): string =>
  from === undefined ? rangeWords(range) : monitorPageText('history.chosen')

export function History({ monitor }: { monitor: Monitor }) {
  const { range, from, to } = useSearch({ from: '/inside/monitors/$id' })
  const navigate = useNavigate({ from: '/monitors/$id' })
  const asked: RangeSearch = { ...(range && { range }), ...(from && to && { from, to }) }
  const setRange = (next: RangeSearch): void =>
    void navigate({ search: ({ range: _range, from: _from, to: _to, ...rest }) => ({ ...rest, ...next }), resetScroll: false })
  const uptime = useQuery(monitorUptimeQuery(monitor.id, asked))
  // One crosshair for both: the instant under the pointer in the band is marked in the plot, and
  // the reverse.
  const [inBand, setInBand] = useState<number | null>(null)
  const [inPlot, setInPlot] = useState<number | null>(null)
  const { data } = uptime
  const today = useToday()
  const whole = data?.whole ?? null
  return (
    <>
      <Section title={monitorPageText('history.title')} aside={<Range value={asked} onChange={setRange} />}>
        {!data && <Awaiting of={uptime} rows={3} />}
        {data && (
          <div className={classes.status}>
            <StatusBand
              label={monitorPageText('history.band', { name: monitor.name, span: wordsOf(asked) })}
              slots={merged(data.slots, BAND_SLOTS)}
              pointed={inPlot}
              onPoint={setInBand}
            />
            <Facts
              short
              facts={[
                [
                  monitorPageText('history.uptime'),
                  whole?.uptime_percent == null ? monitorPageText('history.no_data') : percentInWords(whole.uptime_percent)
                ],
                [monitorPageText('history.down'), whole ? durationInWords(whole.down_seconds) : '–'],
                [monitorPageText('history.longest'), whole ? durationInWords(whole.longest_outage_seconds) : '–'],
                [monitorPageText('history.incidents'), whole?.incidents ?? '–'],
                [
                  monitorPageText('history.good'),
                  whole && whole.checks > 0
                    ? monitorPageText('history.good_of', { good: whole.checks_ok, count: whole.checks })
                    : monitorPageText('history.none')
                ],
                [monitorPageText('history.budget', { target: SLO_TARGET }), whole?.slo && whole.checks > 0 ? budgetInWords(whole.slo) : '–']
              ]}
            />
            <div className={classes.foot}>
              <StatusBandKey />
              {data.complete_until && <span>{monitorPageText('history.until', { time: secondTime(data.complete_until, today) })}</span>}
            </div>
          </div>
        )}
      </Section>
      <ResponseTimes monitor={monitor} asked={asked} setRange={setRange} pointed={inBand} onPoint={setInPlot} />
    </>
  )
}

interface ResponseTimesProps {
  monitor: Monitor
  asked: RangeSearch
  setRange: (next: RangeSearch) => void
  pointed: number | null
  onPoint: (at: number | null) => void
}

function ResponseTimes({ monitor, asked, setRange, pointed, onPoint }: ResponseTimesProps) {
  const { percentile = 'p95' } = useSearch({ from: '/inside/monitors/$id' })
  const navigate = useNavigate({ from: '/monitors/$id' })
  const now = useNow(60)
  const made_at = Date.parse(monitor.created_at)
  const single = singleSpan(spanOf(asked, now), made_at, now) !== null
  const latency = useQuery({ ...latencyQuery(monitor.id, asked), enabled: !single })
  const checks = useQuery({ ...singleChecksQuery(monitor.id, asked, made_at), enabled: single })
  const bands = useBands(monitor.id, now)
  const labels = monitor.prober_region_labels
  const drawn = single ? checks : latency
  const { data } = drawn
  const lines = useMemo(() => {
    const points = single
      ? (checks.data?.items ?? [])
          .map(({ region, scheduled_at, timings_ms: { total } }) => ({ region, at: Date.parse(scheduled_at), value: total }))
          .reverse()
      : (latency.data?.items ?? []).map((item) => ({ region: item.region ?? '', at: Date.parse(item.from), value: item[percentile] }))
    const regions = [...new Set(points.map(({ region }) => region))].sort()
    return regions.map((region): PlotSeries => ({ label: labels[region] ?? region, points: points.filter((one) => one.region === region) }))
  }, [single, checks.data, latency.data, percentile, labels])
  const oldest = single ? (checks.data?.oldest ?? null) : null
  const shown = data && (single ? singlePlot(spanOf(asked, data.span.to), data.span, oldest) : data.span)
  const gapMs = single ? 2.5 * 1000 * (monitor.interval_seconds + monitor.timeout_seconds) : 1.5 * bucketMs[latency.data?.bucket ?? 'hour']
  return (
    <Section
      title={monitorPageText('times.title')}
      aside={
        single ? (
          <span>{monitorPageText('times.single')}</span>
        ) : (
          <fieldset className={classes.percentiles}>
            <legend>{monitorPageText('times.percentile')}</legend>
            {percentiles.map((one) => (
              <UnstyledButton
                key={one}
                aria-pressed={one === percentile}
                onClick={() => void navigate({ search: (before) => ({ ...before, percentile: one }), resetScroll: false })}
              >
                {one}
              </UnstyledButton>
            ))}
          </fieldset>
        )
      }
    >
      {!data && <Awaiting of={drawn} rows={1} height={264} />}
      {data && shown && (
        <Plot
          title={monitorPageText('times.plot', {
            name: monitor.name,
            what: single ? monitorPageText('times.each') : percentile,
            span: wordsOf(asked)
          })}
          series={lines}
          span={shown}
          gapMs={gapMs}
          format={msInWords}
          bands={bands}
          onZoom={(span) => setRange(zoomed(span))}
          pointed={pointed}
          onPoint={onPoint}
        />
      )}
      {oldest !== null && (
        <div className={classes.spread}>
          <p>{monitorPageText('times.newest', { count: figure(checks.data?.items.length ?? 0) })}</p>
        </div>
      )}
      {!single && latency.data && <Spread answer={latency.data} />}
    </Section>
  )
}

/** Returns the monitor's incidents, limited to the newest hundred. */
function useBands(id: string, now: number): PlotBand[] {
  const { data } = useQuery(incidentsQuery({ monitor_id: [id], per_page: INCIDENTS }))
  return useMemo(
    () =>
      (data?.items ?? []).map(({ key, title, started_at, resolved_at }) => ({
        from: Date.parse(started_at),
        to: resolved_at ? Date.parse(resolved_at) : now,
        tone: 'bad',
        label: `${key} ${title}`
      })),
    [data, now]
  )
}

const timed = ['dns', 'connect', 'tls', 'request', 'ttfb', 'download'] as const

/** The figures of all regions together, and the time of each phase. */
function Spread({ answer: { overall, phases } }: { answer: LatencyAnswer }) {
  if (!overall) return null
  const parts = timed.flatMap((phase) => {
    const spread = phases?.[phase]
    return spread ? [`${monitorPageText(`phase.${phase}`)} ${msInWords(spread.p50)}`] : []
  })
  return (
    <div className={classes.spread}>
      <Facts
        short
        facts={[
          [monitorPageText('times.half'), msInWords(overall.p50)],
          [monitorPageText('times.p95'), msInWords(overall.p95)],
          [monitorPageText('times.p99'), msInWords(overall.p99)],
          [monitorPageText('times.slowest'), msInWords(overall.max)],
          [monitorPageText('times.checks'), overall.count]
        ]}
      />
      {parts.length > 0 && <p>{monitorPageText('times.spent', { parts: parts.join(', ') })}</p>}
    </div>
  )
}
