/** Inbound alerts of the last hour, minute by minute: what was accepted, what was refused. */
import type { Usage } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Plot } from '../../parts/Plot.tsx'
import { MINUTE_MS, minutesOf } from './arrivals.ts'
import { counted } from './roles.ts'

const whole = (value: number): string => figure(Math.round(value))

export function Arrivals({ ingest, at }: { ingest: Usage['ingest']; at: string }) {
  const minutes = minutesOf(ingest.windows, Date.parse(at))
  const from = minutes[0]?.at ?? 0
  const summary = `${counted(ingest.accepted_1h, 'alert')} accepted, ${counted(ingest.refused_1h, 'request')} refused over the limit`
  return (
    <Section title="Inbound alerts in the last hour" aside={`${summary}; some 20 s behind`}>
      <Plot
        title="Inbound alerts a minute in the last hour"
        series={[
          { label: 'Alerts accepted a minute', points: minutes.map(({ at, accepted }) => ({ at, value: accepted })) },
          { label: 'Requests refused over the limit a minute', points: minutes.map(({ at, refused }) => ({ at, value: refused })) }
        ]}
        span={{ from, to: from + minutes.length * MINUTE_MS }}
        gapMs={2 * MINUTE_MS}
        format={whole}
        height={160}
      />
    </Section>
  )
}
