/**
 * Figures of the past: uptime, response times, incidents, the noisiest sources, and how fast the
 * service notified people. When analytics is unavailable, each part says so itself.
 */
import { Button, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { addressOf, incidentFigures, latencyFigures, pipelineFigures, sourceFigures, uptimeFigures } from '../../api/analytics.ts'
import { heartbeatsQuery, integrationsQuery, monitorsQuery } from '../../api/lists.ts'
import { decimal, figure, ownZone } from '../../parts/clock.ts'
import { msInWords, percentInWords } from '../../parts/figures.ts'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { Plot } from '../../parts/Plot.tsx'
import rangeClasses from '../../parts/Range.module.css'
import type { RangeName } from '../../parts/range.ts'
import { rangeWords } from '../../parts/range-words.ts'
import { durationInWords } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { analyticsText } from '../../texts/analytics.ts'
import classes from './Analytics.module.css'
import { openedByDay, wholeUptime, worstUptimeFirst } from './figures.ts'
import { analyticsRanges } from './search.ts'
import { namelessInWords } from './source-words.ts'
import { Table } from './Table.tsx'

const DAY_MS = 86_400_000
const SHOWN = 20

export function Analytics() {
  const { range = '30d' } = useSearch({ from: '/inside/analytics' })
  const [drawn, setDrawn] = useState<RangeName | null>(null)
  const asked = [
    useQuery(uptimeFigures(range)),
    useQuery(incidentFigures(range)),
    useQuery(latencyFigures(range)),
    useQuery(sourceFigures(range)),
    useQuery(pipelineFigures(range)),
    useQuery(monitorsQuery()),
    useQuery(heartbeatsQuery()),
    useQuery(integrationsQuery)
  ]
  // Show all parts at once: parts that appear one by one push each other down.
  const isThere = asked.every(({ isPending }) => !isPending)
  if (isThere && drawn !== range) setDrawn(range)
  // The figures of the span before stay, under a heading with that span, until all new ones are
  // there. That takes a while when the plan's requests are used up.
  const shown = isThere ? range : drawn
  const uptime = useQuery(uptimeFigures(shown ?? range)).data
  const incidents = useQuery(incidentFigures(shown ?? range)).data
  const opened = incidents && openedInWords(incidents.whole?.opened ?? 0)
  const answer = answerOf(shown ?? range, uptime ? wholeUptime(uptime.items) : null, opened)
  return (
    <>
      <PageHead title={analyticsText('page.title')} answer={answer} actions={<Ranges range={range} />} />
      {shown ? (
        <div className={classes.figures} aria-busy={!isThere}>
          <Uptime range={shown} />
          <Latency range={shown} />
          <Incidents range={shown} />
          <Sources range={shown} />
          <Pipeline range={shown} />
        </div>
      ) : (
        <Awaiting of={asked} rows={12} />
      )}
    </>
  )
}

const openedInWords = (count: number): string =>
  count === 1 ? analyticsText('incidents.one') : analyticsText('incidents.some', { count: figure(count) })

function answerOf(range: RangeName, uptime: number | null, incidents: string | undefined): string {
  const words = { range: rangeWords(range) }
  if (uptime !== null && incidents !== undefined)
    return analyticsText('answer.both', { ...words, uptime: percentInWords(uptime), incidents })
  if (uptime !== null) return analyticsText('answer.uptime', { ...words, uptime: percentInWords(uptime) })
  return incidents === undefined ? analyticsText('page.title') : analyticsText('answer.incidents', { ...words, incidents })
}

function Ranges({ range }: { range: RangeName }) {
  const navigate = useNavigate()
  return (
    <fieldset className={rangeClasses.range}>
      <legend className="unseen">{analyticsText('range.label')}</legend>
      {analyticsRanges.map((name) => (
        <UnstyledButton
          key={name}
          className={rangeClasses.one}
          aria-pressed={name === range}
          onClick={() => void navigate({ to: '/analytics', search: name === '30d' ? {} : { range: name }, resetScroll: false })}
        >
          {name.replace(/(?=[hd])/, ' ')}
        </UnstyledButton>
      ))}
    </fieldset>
  )
}

interface PartProps {
  range: RangeName
}

const File = ({ what, title, range }: { what: Parameters<typeof addressOf>[0]; title: string; range: RangeName }) => (
  <a href={addressOf(what, range)} download aria-label={analyticsText('file.label', { what: title })}>
    {analyticsText('file.csv')}
  </a>
)

/**
 * Returns a function that gives the name of a monitor, heartbeat or integration as a link. For what
 * has no name it says what it is.
 */
function useThings(): (kind: string, id: string | null, type?: string | null) => ReactNode {
  const { data: monitors } = useQuery(monitorsQuery())
  const { data: heartbeats } = useQuery(heartbeatsQuery())
  const { data: integrations } = useQuery(integrationsQuery)
  return (kind, id, type) => {
    const [list, to] =
      kind === 'monitor'
        ? [monitors, '/monitors/']
        : kind === 'heartbeat'
          ? [heartbeats, '/heartbeats/']
          : kind === 'inbound'
            ? [integrations, '/integrations/']
            : [undefined, '']
    const name = list?.items.find((one) => one.id === id)?.name
    if (name !== undefined) return <Link to={`${to}${id}`}>{name}</Link>
    return namelessInWords(kind, type, list !== undefined)
  }
}

function Uptime({ range }: PartProps) {
  const asked = useQuery(uptimeFigures(range))
  const nameOf = useThings()
  const [all, setAll] = useState(false)
  const title = analyticsText('uptime.title')
  const items = worstUptimeFirst(asked.data?.items ?? [])
  const shown = all ? items : items.slice(0, SHOWN)
  return (
    <Section title={title} aside={items.length > 0 && <File what="uptime" title={title} range={range} />}>
      {!asked.data ? (
        <Awaiting of={asked} rows={5} />
      ) : items.length === 0 ? (
        <p className={classes.quiet}>{analyticsText('uptime.none')}</p>
      ) : (
        <>
          <Table
            label={title}
            columns={[
              analyticsText('column.what'),
              analyticsText('column.uptime'),
              analyticsText('column.down'),
              analyticsText('column.longest'),
              analyticsText('column.incidents')
            ]}
            rows={shown.map((item) => ({
              key: `${item.kind} ${item.id}`,
              cells: [
                nameOf(item.kind, item.id),
                item.uptime_percent === null ? '–' : percentInWords(item.uptime_percent),
                item.down_seconds < 1 ? '–' : durationInWords(item.down_seconds),
                item.longest_outage_seconds < 1 ? '–' : durationInWords(item.longest_outage_seconds),
                item.incidents
              ]
            }))}
          />
          {items.length > shown.length && (
            <Button variant="default" onClick={() => setAll(true)}>
              {analyticsText('uptime.more', { count: items.length })}
            </Button>
          )}
        </>
      )}
    </Section>
  )
}

function Latency({ range }: PartProps) {
  const asked = useQuery(latencyFigures(range))
  const nameOf = useThings()
  const title = analyticsText('latency.title')
  const items = (asked.data?.items ?? []).filter(({ count }) => count > 0).toSorted((one, other) => other.p95 - one.p95)
  return (
    <Section title={title} aside={items.length > 0 && <File what="latency" title={title} range={range} />}>
      {!asked.data ? (
        <Awaiting of={asked} rows={5} />
      ) : items.length === 0 ? (
        <p className={classes.quiet}>{analyticsText('latency.none')}</p>
      ) : (
        <Table
          label={title}
          columns={[
            analyticsText('column.what'),
            analyticsText('column.median'),
            analyticsText('column.p_ninety_five'),
            analyticsText('column.p_ninety_nine'),
            analyticsText('column.checks')
          ]}
          rows={items.slice(0, SHOWN).map((item) => ({
            key: item.monitor_id ?? '',
            cells: [nameOf('monitor', item.monitor_id), msInWords(item.p50), msInWords(item.p95), msInWords(item.p99), item.count]
          }))}
        />
      )}
    </Section>
  )
}

interface Times {
  avg: number | null
  p50: number | null
  p90: number | null
}

function timesInWords({ avg, p50, p90 }: Times): string {
  if (avg === null || p50 === null || p90 === null) return analyticsText('incidents.none')
  return analyticsText('incidents.spread', { avg: durationInWords(avg), p50: durationInWords(p50), p90: durationInWords(p90) })
}

function Incidents({ range }: PartProps) {
  const asked = useQuery(incidentFigures(range))
  const title = analyticsText('incidents.title')
  const { data } = asked
  const whole = data?.whole
  const days = data ? openedByDay(data.days, data.span, ownZone()) : []
  return (
    <Section title={title} aside={whole && <File what="incidents" title={title} range={range} />}>
      {!data ? (
        <Awaiting of={asked} rows={5} />
      ) : (
        <>
          <Facts
            facts={[
              [analyticsText('incidents.opened'), whole?.opened ?? 0],
              [analyticsText('incidents.resolved'), whole?.resolved ?? 0],
              whole?.acked_percent == null
                ? null
                : [analyticsText('incidents.acknowledged'), percentInWords(Math.round(whole.acked_percent))],
              whole && whole.reopened > 0 ? [analyticsText('incidents.reopened'), whole.reopened] : null,
              [analyticsText('incidents.mtta'), whole ? timesInWords(whole.mtta) : analyticsText('incidents.none')],
              [analyticsText('incidents.mttr'), whole ? timesInWords(whole.mttr) : analyticsText('incidents.none')]
            ]}
          />
          {days.length > 1 && (
            <Plot
              title={analyticsText('incidents.plot')}
              series={[
                {
                  label: analyticsText('incidents.series'),
                  points: days
                }
              ]}
              span={data.span}
              gapMs={1.5 * DAY_MS}
              format={(value) => String(Math.round(value))}
              height={160}
            />
          )}
        </>
      )}
    </Section>
  )
}

function Sources({ range }: PartProps) {
  const asked = useQuery(sourceFigures(range))
  const nameOf = useThings()
  const title = analyticsText('sources.title')
  const items = asked.data?.items ?? []
  return (
    <Section title={title} aside={items.length > 0 && <File what="alerts" title={title} range={range} />}>
      <p className={classes.quiet}>{analyticsText('sources.hint')}</p>
      {!asked.data ? (
        <Awaiting of={asked} rows={5} />
      ) : items.length === 0 ? (
        <p className={classes.quiet}>{analyticsText('sources.none')}</p>
      ) : (
        <Table
          label={title}
          columns={[
            analyticsText('column.source'),
            analyticsText('column.incidents'),
            analyticsText('column.noise'),
            analyticsText('column.alerts'),
            analyticsText('column.ratio')
          ]}
          rows={items.map(({ source, incidents, noise, noise_percent, alerts, dedup_ratio }) => ({
            key: `${source.kind} ${source.id}`,
            cells: [
              nameOf(source.kind, source.id, source.type),
              incidents,
              noise_percent === null ? '–' : `${noise} (${percentInWords(Math.round(noise_percent))})`,
              source.kind === 'inbound' ? alerts : '–',
              dedup_ratio === null ? '–' : decimal(dedup_ratio, 1)
            ]
          }))}
        />
      )}
    </Section>
  )
}

const stageWords: Readonly<Record<string, string>> = {
  append: analyticsText('pipeline.append'),
  intent: analyticsText('pipeline.intent'),
  first_attempt: analyticsText('pipeline.first_attempt')
}

function Pipeline({ range }: PartProps) {
  const asked = useQuery(pipelineFigures(range))
  const title = analyticsText('pipeline.title')
  const stages = asked.data?.stages ?? []
  const unknown = (asked.data?.unknown_spans ?? []).map((stage) => analyticsText(`stage.${stage}`))
  return (
    <Section title={title}>
      <p className={classes.quiet}>
        {analyticsText('pipeline.hint')} {unknown.length > 0 && analyticsText('pipeline.unknown', { stages: unknown.join(', ') })}
      </p>
      {!asked.data ? (
        <Awaiting of={asked} rows={2} />
      ) : stages.length === 0 ? (
        <p className={classes.quiet}>{analyticsText('pipeline.none')}</p>
      ) : (
        <Table
          label={title}
          columns={[
            analyticsText('column.stage'),
            analyticsText('column.median'),
            analyticsText('column.p_ninety_five'),
            analyticsText('column.p_ninety_nine'),
            analyticsText('column.messages')
          ]}
          rows={stages.map(({ stage, count, p50, p95, p99 }) => ({
            key: stage,
            cells: [stageWords[stage] ?? stage, msInWords(p50), msInWords(p95), msInWords(p99), count]
          }))}
        />
      )}
    </Section>
  )
}
