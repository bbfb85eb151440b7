/**
 * The answer of a heartbeat's page: did the job run, when, and if not, since when is it missing?
 */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import type { Heartbeat, Incident, Ping } from '../../api/shapes.ts'
import { exact, Since } from '../../parts/Since.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { isGood, type Phase, runInWords, spanInWords, wallTime } from './words.ts'

interface Known {
  heartbeat: Heartbeat
  phase: Phase
  /** The incident that it has open, once it is read. */
  incident: Incident | undefined
  /** The beginning of the log, newest first. */
  pings: readonly Ping[]
  now: number
}

function Due({ at, now }: { at: string; now: number }) {
  return (
    <>
      due <span title={exact(at)}>{wallTime(at, now)}</span>, <Since at={at} />
    </>
  )
}

export function answerFor({ heartbeat, phase, incident, pings, now }: Known): ReactNode {
  const { name, last_ping_at, next_expected_at, started_at, missed_count, max_run_seconds, min_run_seconds } = heartbeat
  switch (phase) {
    case 'waiting':
      return `${name} is waiting for its first ping`
    case 'paused':
      return `${name} is paused`
    case 'running':
      return started_at ? (
        <>
          {name} has been running for <Since at={started_at} as="for" />
        </>
      ) : (
        `${name} is running`
      )
    case 'on_time':
      return last_ping_at ? (
        <>
          {name} ran <Since at={last_ping_at} />, on time
        </>
      ) : (
        `${name} is on time`
      )
    case 'grace':
      return next_expected_at ? (
        <>
          {name} is late: <Due at={next_expected_at} now={now} />
        </>
      ) : (
        `${name} is late`
      )
    case 'missed': {
      const due = incident?.started_at
      const missed = missed_count > 1 ? `${name} missed ${missed_count} pings` : `${name} missed its ping`
      return due ? (
        <>
          {missed}: {missed_count > 1 && 'first '}
          <Due at={due} now={now} />
        </>
      ) : (
        missed
      )
    }
    case 'failed': {
      const [last] = pings.filter(({ kind }) => kind !== 'log')
      const limit = last?.kind === 'start' && max_run_seconds !== null ? Date.parse(last.received_at) + max_run_seconds * 1000 : null
      if (limit !== null && limit < now) return `${name} has run for more than ${spanInWords(max_run_seconds ?? 0)}`
      if (last && isGood(last) && min_run_seconds !== null && last.duration_ms !== null && last.duration_ms < min_run_seconds * 1000)
        return heartbeatsText('answer.too_short', { name, span: runInWords(last.duration_ms) })
      const failure = pings.find((ping) => ping.kind === 'fail' || (ping.kind === 'exit' && !isGood(ping)))
      return failure ? (
        <>
          {name} failed <Since at={failure.received_at} />
          {failure.kind === 'exit' && `, with exit code ${failure.exit_code}`}
        </>
      ) : (
        `${name} failed`
      )
    }
    case 'unknown':
      return `It is not known whether ${name} ran`
  }
}

/** What comes next, in a sentence. */
export function Next({ heartbeat, phase, now }: Pick<Known, 'heartbeat' | 'phase' | 'now'>) {
  const nameOf = useNames()
  const {
    next_expected_at,
    deadline_at,
    paused_by,
    paused_at,
    pause_comment,
    pause_reason,
    resume_at,
    unpause_on_ping,
    max_run_seconds,
    started_at
  } = heartbeat
  if (phase === 'paused')
    return (
      <span>
        {pause_reason === 'entitlement'
          ? 'The limit of the plan'
          : pause_reason === 'maintenance'
            ? 'A maintenance window'
            : nameOf(paused_by)}{' '}
        paused it {paused_at && <Since at={paused_at} />}
        {pause_comment && `: ${pause_comment}`}.{' '}
        {resume_at ? (
          <>It resumes {wallTime(resume_at, now)}.</>
        ) : unpause_on_ping ? (
          heartbeatsText('pause.until_ping')
        ) : (
          'It continues when somebody resumes it.'
        )}
      </span>
    )
  if (phase === 'waiting') return <span>Nothing can be missed before the first ping.</span>
  if (phase === 'running' && max_run_seconds !== null && started_at)
    return <span>It may run until {wallTime(new Date(Date.parse(started_at) + max_run_seconds * 1000).toISOString(), now)}.</span>
  if (next_expected_at === null) return null
  return (
    <span>
      {phase === 'grace' ? (
        deadline_at && <>Counts as missed {<Since at={deadline_at} />}, unless it pings.</>
      ) : (
        <>
          {phase === 'unknown' && 'An outage of this service moved its deadline; its next ping will tell. '}
          {(phase === 'missed' || phase === 'failed') && 'Its next success ends this. '}
          Next due <Since at={next_expected_at} />
          {deadline_at && deadline_at !== next_expected_at && `, missed if it has not come by ${wallTime(deadline_at, now)}`}.
        </>
      )}
    </span>
  )
}

/** The way to the incident that it has open. */
export function OpenIncident({ incident }: { incident: Incident | undefined }) {
  if (!incident) return null
  const { key, dashboard_state } = incident
  return (
    <Link to="/incidents/$id" params={{ id: key }}>
      Open incident {key}, {dashboard_state.toLowerCase()}
    </Link>
  )
}
