/** Inbound alerts of the last hour, minute by minute: accepted above the line, refused requests below it; and the same numbers as a table. */
import type { Usage } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { clockTime } from '../../parts/Since.tsx'
import classes from './Arrivals.module.css'
import { type Minute, minutesOf } from './arrivals.ts'
import { counted } from './roles.ts'

export function Arrivals({ ingest, at }: { ingest: Usage['ingest']; at: string }) {
  const minutes = minutesOf(ingest.windows, Date.parse(at))
  const most = (of: 'accepted' | 'refused') => Math.max(1, ...minutes.map((minute) => minute[of]))
  const busy = minutes.filter(({ accepted, refused }) => accepted + refused > 0)
  const summary = `${counted(ingest.accepted_1h, 'alert')} accepted, ${counted(ingest.refused_1h, 'request')} refused`
  return (
    <Section title="Inbound alerts in the last hour" aside={`${summary}; some 20 s behind`}>
      <figure className={classes.figure} aria-label={`Inbound alerts a minute in the last hour: ${summary}`}>
        <Bars minutes={minutes} of="accepted" most={most('accepted')} />
        <Bars minutes={minutes} of="refused" most={most('refused')} />
        <figcaption className={classes.axis}>
          <span>1 h ago</span>
          <span>
            Most in a minute: {counted(Math.max(0, ...minutes.map(({ accepted }) => accepted)), 'alert')}; the limit is{' '}
            {ingest.limit.toLocaleString('en')} at each door
          </span>
          <span>now</span>
        </figcaption>
      </figure>
      {busy.length > 0 && <Table minutes={busy} />}
    </Section>
  )
}

function Bars({ minutes, of, most }: { minutes: readonly Minute[]; of: 'accepted' | 'refused'; most: number }) {
  return (
    <div className={classes.bars} data-of={of} aria-hidden>
      {minutes.map((minute) => (
        <span key={minute.at} title={`${clockTime(minute.at).slice(0, 5)}: ${minute[of].toLocaleString('en')} ${of}`}>
          <i style={{ height: `${(minute[of] / most) * 100}%` }} />
        </span>
      ))}
    </div>
  )
}

function Table({ minutes }: { minutes: readonly Minute[] }) {
  return (
    <details className={classes.details}>
      <summary>The same as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Minute</th>
            <th scope="col">Alerts accepted</th>
            <th scope="col">Requests refused</th>
          </tr>
        </thead>
        <tbody>
          {minutes.toReversed().map(({ at, accepted, refused }) => (
            <tr key={at}>
              <th scope="row">{clockTime(at).slice(0, 5)}</th>
              <td>{accepted.toLocaleString('en')}</td>
              <td>{refused.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
