/** A state as an icon and a word in the colour of its kind. The colour is never the only sign. */
import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleQuestionMark,
  Info,
  type LucideIcon,
  OctagonX,
  TriangleAlert,
  Wrench
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { Heartbeat, Incident, Monitor, Severity } from '../api/shapes.ts'
import { statusText } from '../texts/status.ts'
import classes from './Status.module.css'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'off'

export interface Look {
  tone: Tone
  icon: LucideIcon
  readonly word: string
}

/** `word` is called when the state is shown, because the language may change. */
export const lookOf = (tone: Tone, icon: LucideIcon, word: () => string): Look => ({
  tone,
  icon,
  get word() {
    return word()
  }
})

const look = (tone: Tone, icon: LucideIcon, key: Parameters<typeof statusText>[0]): Look => lookOf(tone, icon, () => statusText(key))

const monitorLooks: Readonly<Record<Monitor['phase'], Look>> = {
  pending: look('off', CircleDashed, 'monitor.pending'),
  ok: look('good', CircleCheck, 'monitor.ok'),
  validating: look('warn', CircleDashed, 'monitor.validating'),
  degraded: look('warn', TriangleAlert, 'monitor.degraded'),
  down: look('bad', OctagonX, 'monitor.down'),
  flapping: look('warn', TriangleAlert, 'monitor.flapping'),
  maintenance: look('info', Wrench, 'monitor.maintenance'),
  dependency_down: look('bad', OctagonX, 'monitor.dependency_down'),
  unconfirmed: look('warn', CircleQuestionMark, 'monitor.unconfirmed'),
  no_data: look('off', CircleQuestionMark, 'monitor.no_data'),
  paused: look('off', CirclePause, 'monitor.paused')
}

/** All phases. Importing the list of the schemas would load the schemas as well. */
export const monitorPhases = Object.keys(monitorLooks) as Monitor['phase'][]

const heartbeatLooks: Readonly<Record<Heartbeat['phase'], Look>> = {
  waiting: look('off', CircleDashed, 'heartbeat.waiting'),
  on_time: look('good', CircleCheck, 'heartbeat.on_time'),
  running: look('info', CircleDashed, 'heartbeat.running'),
  grace: look('warn', TriangleAlert, 'heartbeat.grace'),
  missed: look('bad', OctagonX, 'heartbeat.missed'),
  failed: look('bad', OctagonX, 'heartbeat.failed'),
  unknown: look('off', CircleQuestionMark, 'heartbeat.unknown'),
  paused: look('off', CirclePause, 'heartbeat.paused')
}

const incidentLooks: Readonly<Record<Incident['dashboard_state'], Look>> = {
  Triggered: look('bad', OctagonX, 'incident.triggered'),
  Acknowledged: look('info', Info, 'incident.acknowledged'),
  Resolved: look('good', CircleCheck, 'incident.resolved'),
  Closed: look('off', CircleCheck, 'incident.closed')
}

const severityLooks: Readonly<Record<Severity, Look>> = {
  critical: look('bad', OctagonX, 'severity.critical'),
  warning: look('warn', TriangleAlert, 'severity.warning'),
  info: look('info', Info, 'severity.info')
}

export const monitorLook = ({ phase, status }: Pick<Monitor, 'phase' | 'status'>): Look =>
  // The phases "unconfirmed" and "no data" keep the last known status.
  status === 'down' && phase !== 'down' && phase !== 'dependency_down'
    ? look('bad', monitorLooks[phase].icon, `monitor.${phase}`)
    : monitorLooks[phase]
export const heartbeatLook = ({ phase }: Pick<Heartbeat, 'phase'>): Look => heartbeatLooks[phase]
export const incidentLook = ({ dashboard_state }: Pick<Incident, 'dashboard_state'>): Look => incidentLooks[dashboard_state]
export const severityLook = (severity: Severity): Look => severityLooks[severity]

export interface StatusProps {
  look: Look
  /** Shown in place of the look's own word. */
  children?: ReactNode
  /** With a soft background in its colour. */
  filled?: boolean
  size?: 'sm' | 'lg'
}

export function Status({ look: { tone, icon: Icon, word }, children, filled = false, size = 'sm' }: StatusProps) {
  return (
    <span className={classes.status} data-tone={tone} data-filled={filled || undefined} data-size={size}>
      <Icon aria-hidden size={size === 'lg' ? 20 : 15} strokeWidth={2.2} />
      <span>{children ?? word}</span>
    </span>
  )
}
