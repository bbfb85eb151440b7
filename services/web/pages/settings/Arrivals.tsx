/** Inbound alerts of the last hour, minute by minute: what was accepted, what was refused. */
import type { Usage } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Plot } from '../../parts/Plot.tsx'
import { limitsText } from '../../texts/limits.ts'
import { MINUTE_MS, minutesOf } from './arrivals.ts'

const whole = (value: number): string => figure(Math.round(value))

export function Arrivals({ ingest, at }: { ingest: Usage['ingest']; at: string }) {
  const minutes = minutesOf(ingest.windows, Date.parse(at))
  const from = minutes[0]?.at ?? 0
  const { accepted_1h, refused_1h } = ingest
  const summary = limitsText('arrivals.summary', {
    alerts: accepted_1h === 1 ? limitsText('arrivals.alert') : limitsText('arrivals.alerts', { count: figure(accepted_1h) }),
    requests: refused_1h === 1 ? limitsText('arrivals.request') : limitsText('arrivals.requests', { count: figure(refused_1h) })
  })
  return (
    <Section title={limitsText('arrivals.title')} aside={summary}>
      <Plot
        title={limitsText('arrivals.plot')}
        series={[
          { label: limitsText('arrivals.accepted'), points: minutes.map(({ at, accepted }) => ({ at, value: accepted })) },
          { label: limitsText('arrivals.rejected'), points: minutes.map(({ at, refused }) => ({ at, value: refused })) }
        ]}
        span={{ from, to: from + minutes.length * MINUTE_MS }}
        gapMs={2 * MINUTE_MS}
        format={whole}
        height={160}
      />
    </Section>
  )
}
