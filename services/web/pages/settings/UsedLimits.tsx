/** What counts against the limits of the plan, each as a bar and in words. */
import { CircleCheck, Minus, OctagonX, TriangleAlert } from 'lucide-react'
import type { Usage } from '../../api/shapes.ts'
import type { CountedLimit } from '../../api/workspace.ts'
import { figure } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { limitsText } from '../../texts/limits.ts'
import { planName } from './plan.ts'
import classes from './UsedLimits.module.css'

const named = [
  'monitors',
  'heartbeats',
  'private_locations',
  'inbound_integrations',
  'api_tokens',
  'members',
  'teams',
  'schedules',
  'channels',
  'routing_rules',
  'silences',
  'escalation_policies',
  'maintenance_windows',
  'deployment_windows',
  'sms_voice_per_month',
  'ingest_alerts_per_minute'
] as const

export function limitName(key: string): string {
  const known = named.find((one) => one === key)
  return known ? limitsText(`thing.${known}`) : key.replaceAll('_', ' ')
}

const NEARLY = 0.8

function lookOf({ used, limit }: CountedLimit): Look {
  if (limit === 0 && used === 0) return { tone: 'off', icon: Minus, word: limitsText('plan.not_included') }
  if (limit === null || used < limit * NEARLY) return { tone: 'off', icon: CircleCheck, word: limitsText('used.room') }
  if (used < limit) return { tone: 'warn', icon: TriangleAlert, word: limitsText('used.nearly') }
  return { tone: 'bad', icon: OctagonX, word: limitsText('used.full') }
}

export function UsedLimits({ usage: { plan, limits, ingest } }: { usage: Usage }) {
  const origins: Readonly<Record<Usage['ingest']['limit_origin'], string>> = {
    plan: limitsText('origin.plan', { plan: planName(plan) }),
    floor: limitsText('origin.floor'),
    raised: limitsText('origin.raised')
  }
  return (
    <Section title={limitsText('used.title', { plan: planName(plan) })}>
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
        {most === null
          ? limitsText('used.unlimited', { used: figure(used) })
          : limitsText('used.of', { used: figure(used), limit: figure(most) })}
        {note && <small>{note}</small>}
      </span>
      <span className={classes.track} aria-hidden>
        <span className={classes.fill} data-tone={look.tone} style={{ width: `${share * 100}%` }} />
      </span>
      <Status look={look} />
    </li>
  )
}
