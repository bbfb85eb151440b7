/**
 * The headline of a heartbeat's page: whether the job ran and when, or since when it is missing.
 */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import type { Heartbeat, Incident, Ping } from '../../api/shapes.ts'
import { Said } from '../../parts/Said.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import { incidentLook } from '../../parts/Status.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { isGood, type Phase, runInWords, spanInWords, wallTime } from './words.ts'

interface Known {
  heartbeat: Heartbeat
  phase: Phase
  /** The open incident of the heartbeat, once it is loaded. */
  incident: Incident | undefined
  /** The newest part of the ping log, newest first. */
  pings: readonly Ping[]
  now: number
}

/** When the ping was due, and how long ago that was. */
const due = (at: string, now: number) => ({ at: <span title={exact(at)}>{wallTime(at, now)}</span>, time: <Since at={at} /> })

export function answerFor({ heartbeat, phase, incident, pings, now }: Known): ReactNode {
  const { name, last_ping_at, next_expected_at, started_at } = heartbeat
  switch (phase) {
    case 'waiting':
      return heartbeatsText('answer.waiting', { name })
    case 'paused':
      return heartbeatsText('answer.paused', { name })
    case 'running':
      if (!started_at) return heartbeatsText('answer.running', { name })
      return (
        <Said parts={{ time: <Since at={started_at} as="for" /> }}>
          {({ time }) => heartbeatsText('answer.running_for', { name, time })}
        </Said>
      )
    case 'on_time':
      if (!last_ping_at) return heartbeatsText('answer.on_time', { name })
      return <Said parts={{ time: <Since at={last_ping_at} /> }}>{({ time }) => heartbeatsText('answer.ran', { name, time })}</Said>
    case 'grace':
      if (!next_expected_at) return heartbeatsText('answer.late', { name })
      return <Said parts={due(next_expected_at, now)}>{(places) => heartbeatsText('answer.late_due', { name, ...places })}</Said>
    case 'missed':
      return missed(heartbeat, incident, now)
    case 'failed':
      return failed(heartbeat, pings, now)
    case 'unknown':
      return heartbeatsText('answer.unknown', { name })
  }
}

function missed({ name, missed_count: count }: Heartbeat, incident: Incident | undefined, now: number): ReactNode {
  if (!incident) return count > 1 ? heartbeatsText('answer.missed_more', { name, count }) : heartbeatsText('answer.missed', { name })
  return (
    <Said parts={due(incident.started_at, now)}>
      {(places) =>
        count > 1
          ? heartbeatsText('answer.missed_more_due', { name, count, ...places })
          : heartbeatsText('answer.missed_due', { name, ...places })
      }
    </Said>
  )
}

function failed({ name, max_run_seconds, min_run_seconds }: Heartbeat, pings: readonly Ping[], now: number): ReactNode {
  const [last] = pings.filter(({ kind }) => kind !== 'log')
  const limit = last?.kind === 'start' && max_run_seconds !== null ? Date.parse(last.received_at) + max_run_seconds * 1000 : null
  if (limit !== null && limit < now) return heartbeatsText('answer.too_long', { name, span: spanInWords(max_run_seconds ?? 0) })
  if (last && isGood(last) && min_run_seconds !== null && last.duration_ms !== null && last.duration_ms < min_run_seconds * 1000)
    return heartbeatsText('answer.too_short', { name, span: runInWords(last.duration_ms) })
  const failure = pings.find((ping) => ping.kind === 'fail' || (ping.kind === 'exit' && !isGood(ping)))
  if (!failure) return heartbeatsText('answer.failed', { name })
  return (
    <Said parts={{ time: <Since at={failure.received_at} /> }}>
      {({ time }) =>
        failure.kind === 'exit'
          ? heartbeatsText('answer.failed_exit', { name, time, code: failure.exit_code ?? '' })
          : heartbeatsText('answer.failed_at', { name, time })
      }
    </Said>
  )
}

/** Says in one sentence what happens next. */
export function Next({ heartbeat, phase, now }: Pick<Known, 'heartbeat' | 'phase' | 'now'>) {
  const { next_expected_at, deadline_at, max_run_seconds, started_at } = heartbeat
  if (phase === 'paused') return <Paused heartbeat={heartbeat} now={now} />
  if (phase === 'waiting') return <span>{heartbeatsText('next.first')}</span>
  if (phase === 'running' && max_run_seconds !== null && started_at) {
    const limit = new Date(Date.parse(started_at) + max_run_seconds * 1000).toISOString()
    return <span>{heartbeatsText('next.may_run', { time: wallTime(limit, now) })}</span>
  }
  if (next_expected_at === null) return null
  if (phase === 'grace')
    return (
      <span>
        {deadline_at && <Said parts={{ time: <Since at={deadline_at} /> }}>{({ time }) => heartbeatsText('next.grace', { time })}</Said>}
      </span>
    )
  const deadline = deadline_at && deadline_at !== next_expected_at ? wallTime(deadline_at, now) : null
  return (
    <span>
      {phase === 'unknown' && `${heartbeatsText('next.unknown')} `}
      {(phase === 'missed' || phase === 'failed') && `${heartbeatsText('next.recovers')} `}
      <Said parts={{ time: <Since at={next_expected_at} /> }}>
        {({ time }) => (deadline === null ? heartbeatsText('next.due', { time }) : heartbeatsText('next.due_by', { time, deadline }))}
      </Said>
    </span>
  )
}

/** Says who paused it, when and why, and what ends the pause. */
function Paused({ heartbeat, now }: Pick<Known, 'heartbeat' | 'now'>) {
  const nameOf = useNames()
  const { paused_by, paused_at, pause_comment: comment, pause_reason } = heartbeat
  const who =
    pause_reason === 'entitlement'
      ? heartbeatsText('next.by_plan')
      : pause_reason === 'maintenance'
        ? heartbeatsText('next.by_maintenance')
        : nameOf(paused_by)
  return (
    <span>
      <Said parts={{ time: paused_at && <Since at={paused_at} /> }}>
        {({ time }) => (comment ? heartbeatsText('next.paused_why', { who, time, comment }) : heartbeatsText('next.paused', { who, time }))}
      </Said>{' '}
      {endOfPause(heartbeat, now)}
    </span>
  )
}

function endOfPause({ resume_at, unpause_on_ping }: Heartbeat, now: number): string {
  if (!resume_at) return heartbeatsText(unpause_on_ping ? 'next.until_ping' : 'next.until_resumed')
  return heartbeatsText(unpause_on_ping ? 'next.resumes_or_ping' : 'next.resumes', { time: wallTime(resume_at, now) })
}

/** A link to the open incident of the heartbeat. */
export function OpenIncident({ incident }: { incident: Incident | undefined }) {
  if (!incident) return null
  const { key } = incident
  return (
    <Link to="/incidents/$id" params={{ id: key }}>
      {heartbeatsText('next.incident', { key, state: incidentLook(incident).word.toLowerCase() })}
    </Link>
  )
}
