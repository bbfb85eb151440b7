/** What is counted against the plan, each as a bar and in words. */
import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react'
import type { Usage } from '../../api/shapes.ts'
import type { CountedLimit } from '../../api/workspace.ts'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { planName } from './plan.ts'
import classes from './UsedLimits.module.css'

const names: Readonly<Record<string, string>> = {
  monitors: 'Monitors',
  heartbeats: 'Heartbeats',
  private_locations: 'Private locations',
  inbound_integrations: 'Integrations',
  api_tokens: 'API tokens',
  members: 'Members and open invites',
  ingest_alerts_per_minute: 'Alerts in this minute'
}

export const limitName = (key: string): string => names[key] ?? key.replaceAll('_', ' ')

const NEARLY = 0.8

function lookOf({ used, limit, unit }: CountedLimit): Look {
  if (limit === null || used < limit * NEARLY) return { tone: 'off', icon: CircleCheck, word: 'Room for more' }
  if (used < limit) return { tone: 'warn', icon: TriangleAlert, word: 'Nearly full' }
  return { tone: 'bad', icon: OctagonX, word: unit === 'count' ? 'No room for more' : 'At the limit' }
}

export function UsedLimits({ usage: { plan, limits, ingest } }: { usage: Usage }) {
  const origins: Readonly<Record<Usage['ingest']['limit_origin'], string>> = {
    plan: `by the ${planName(plan)} plan, at each door`,
    floor: 'the least that every workspace has, at each door',
    raised: 'raised by the operator, at each door'
  }
  return (
    <Section title={`Used of the ${planName(plan)} plan`}>
      <ul className={classes.list}>
        {limits.map((limit) => (
          <Bar key={limit.key} limit={limit} note={limit.unit === 'alerts_per_minute' ? origins[ingest.limit_origin] : null} />
        ))}
      </ul>
    </Section>
  )
}

function Bar({ limit, note }: { limit: CountedLimit; note: string | null }) {
  const { key, used, limit: most } = limit
  const look = lookOf(limit)
  const share = most === null || most === 0 ? 0 : Math.min(1, used / most)
  return (
    <li className={classes.bar}>
      <span className={classes.name}>{limitName(key)}</span>
      <span className={classes.figure}>
        {figure(used)} {most === null ? 'used, unlimited' : `of ${figure(most)}`}
        {note && <small>{note}</small>}
      </span>
      <span className={classes.track} aria-hidden>
        <span className={classes.fill} data-tone={look.tone} style={{ width: `${share * 100}%` }} />
      </span>
      <Status look={look} />
    </li>
  )
}
