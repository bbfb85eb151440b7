/** A state as an icon and a word in the colour of its kind: never by colour alone. */
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
import classes from './Status.module.css'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'off'

export interface Look {
  tone: Tone
  icon: LucideIcon
  word: string
}

const monitorLooks: Readonly<Record<Monitor['phase'], Look>> = {
  pending: { tone: 'off', icon: CircleDashed, word: 'Pending' },
  ok: { tone: 'good', icon: CircleCheck, word: 'Up' },
  validating: { tone: 'warn', icon: CircleDashed, word: 'Confirming' },
  degraded: { tone: 'warn', icon: TriangleAlert, word: 'Degraded' },
  down: { tone: 'bad', icon: OctagonX, word: 'Down' },
  flapping: { tone: 'warn', icon: TriangleAlert, word: 'Flapping' },
  maintenance: { tone: 'info', icon: Wrench, word: 'Maintenance' },
  dependency_down: { tone: 'bad', icon: OctagonX, word: 'Dependency down' },
  unconfirmed: { tone: 'warn', icon: CircleQuestionMark, word: 'Unconfirmed' },
  no_data: { tone: 'off', icon: CircleQuestionMark, word: 'No data' },
  paused: { tone: 'off', icon: CirclePause, word: 'Paused' }
}

/** All of them; the schemas' own list would bring the schemas along. */
export const monitorPhases = Object.keys(monitorLooks) as Monitor['phase'][]

const heartbeatLooks: Readonly<Record<Heartbeat['phase'], Look>> = {
  waiting: { tone: 'off', icon: CircleDashed, word: 'Waiting' },
  on_time: { tone: 'good', icon: CircleCheck, word: 'On time' },
  running: { tone: 'info', icon: CircleDashed, word: 'Running' },
  grace: { tone: 'warn', icon: TriangleAlert, word: 'Late' },
  missed: { tone: 'bad', icon: OctagonX, word: 'Missed' },
  failed: { tone: 'bad', icon: OctagonX, word: 'Failed' },
  unknown: { tone: 'off', icon: CircleQuestionMark, word: 'Unknown' },
  paused: { tone: 'off', icon: CirclePause, word: 'Paused' }
}

const incidentLooks: Readonly<Record<Incident['dashboard_state'], Look>> = {
  Triggered: { tone: 'bad', icon: OctagonX, word: 'Triggered' },
  Acknowledged: { tone: 'info', icon: Info, word: 'Acknowledged' },
  Resolved: { tone: 'good', icon: CircleCheck, word: 'Resolved' },
  Closed: { tone: 'off', icon: CircleCheck, word: 'Closed' }
}

const severityLooks: Readonly<Record<Severity, Look>> = {
  critical: { tone: 'bad', icon: OctagonX, word: 'Critical' },
  warning: { tone: 'warn', icon: TriangleAlert, word: 'Warning' },
  info: { tone: 'info', icon: Info, word: 'Info' }
}

export const monitorLook = ({ phase, status }: Pick<Monitor, 'phase' | 'status'>): Look =>
  // Unconfirmed and without data keep the status that was last known.
  status === 'down' && phase !== 'down' && phase !== 'dependency_down' ? { ...monitorLooks[phase], tone: 'bad' } : monitorLooks[phase]
export const heartbeatLook = ({ phase }: Pick<Heartbeat, 'phase'>): Look => heartbeatLooks[phase]
export const incidentLook = ({ dashboard_state }: Pick<Incident, 'dashboard_state'>): Look => incidentLooks[dashboard_state]
export const severityLook = (severity: Severity): Look => severityLooks[severity]

export interface StatusProps {
  look: Look
  /** Instead of the look's own word. */
  children?: ReactNode
  /** On a soft surface of its colour. */
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
