/**
 * The page of one monitor: up or down, for how long and why; its history, its latest checks, the
 * results of its regions, and its settings.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { isGone } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { CopyButton } from '../../parts/Copy.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { durationInWords, exact, Since, useNow } from '../../parts/Since.tsx'
import { Awaiting, Loading, Problem } from '../../parts/States.tsx'
import { monitorLook, Status } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { Together } from '../../parts/Together.tsx'
import { monitorPageText } from '../../texts/monitor-page.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { certificateLook, daysInWords } from './certificate-look.ts'
import { useCheckNow } from './check-now.ts'
import { History } from './History.tsx'
import classes from './Monitor.module.css'
import { MonitorActions } from './MonitorActions.tsx'
import { regionLabel } from './region-label.ts'

const InMaintenance = lazyPart(async () => (await import('../maintenance/InMaintenance.tsx')).InMaintenance)
/** The reason of a failure that has no message of its own. */
const Reason = lazyPart(async () => (await import('./Reason.tsx')).Reason)
const CheckProgress = lazyPart(async () => (await import('./CheckProgress.tsx')).CheckProgress)
const PushState = lazyPart(async () => (await import('./PushState.tsx')).PushState)
/** Below the fold. */
const Details = lazyPart(async () => (await import('./Details.tsx')).Details)

const back = () => ({ to: '/monitors', label: monitorPageText('head.back') })

export function MonitorPage() {
  const { id } = useParams({ from: '/inside/monitors/$id' })
  const asked = useQuery(monitorQuery(id))
  const { data: monitor, error } = asked
  if (isGone(error))
    return (
      <>
        <PageHead title={back().label} answer={back().label} back={back()} />
        <Problem error={error} />
      </>
    )
  if (!monitor) return <Awaiting of={asked} rows={12} />
  return <Shown key={id} monitor={monitor} />
}

function Shown({ monitor }: { monitor: Monitor }) {
  const check = useCheckNow(monitor.id)
  return (
    <>
      <PageHead
        title={monitor.name}
        back={back()}
        answer={<Answer monitor={monitor} />}
        actions={<MonitorActions monitor={monitor} check={check} />}
      >
        <Below monitor={monitor} />
      </PageHead>
      <Suspense fallback={null}>{check.progress && <CheckProgress monitor={monitor} progress={check.progress} />}</Suspense>
      {monitor.type === PUSHED && (
        <Suspense fallback={<Loading rows={2} height={64} />}>
          <PushState monitor={monitor} />
        </Suspense>
      )}
      <Together meanwhile={<Loading rows={12} />}>
        <History monitor={monitor} />
        <Suspense fallback={<Loading rows={8} />}>
          <Details monitor={monitor} />
        </Suspense>
      </Together>
    </>
  )
}

function pauseInWords({ pause_reason, pause_comment }: Monitor): string {
  if (pause_reason === 'entitlement' || pause_reason === 'maintenance') return monitorPageText(`paused.${pause_reason}`)
  return pause_comment ?? monitorPageText('paused.no_reason')
}

/** `Storefront: up for 3 d 4 h`. */
function Answer({ monitor }: { monitor: Monitor }) {
  const { name, status, phase, last_status_change_at, created_at, region_states } = monitor
  const look = monitorLook(monitor)
  const since = last_status_change_at ?? created_at
  // A new monitor starts as `up`, which proves nothing.
  const isProven = last_status_change_at !== null || region_states.some(({ state }) => state !== 'pending')
  return (
    <>
      {name}: <Status look={look} size="lg" />
      {isProven ? (
        <>
          {monitorPageText(status === 'up' && phase !== 'ok' ? 'answer.up_for' : 'answer.for')}
          <Since at={since} as="for" />
        </>
      ) : (
        monitorPageText(phase === 'pending' ? 'answer.no_result' : 'answer.no_good')
      )}
    </>
  )
}

function Below({ monitor }: { monitor: Monitor }) {
  const { status, last_failure, open_incident_id, last_checked_at, resume_at } = monitor
  const mayWrite = useMay('write')
  return (
    <>
      {monitor.type !== PUSHED && <Address target={monitor.target} />}
      <TeamMark team_id={monitor.team_id} />
      <Suspense fallback={null}>
        <InMaintenance monitor_id={monitor.id} />
      </Suspense>
      {status === 'down' && last_failure && (
        <span className={classes.failure}>
          {last_failure.message ??
            (last_failure.reason ? (
              <Suspense fallback={monitorPageText('head.failed')}>
                <Reason reason={last_failure.reason} />
              </Suspense>
            ) : (
              monitorPageText('head.failed')
            ))}
          {last_failure.region && monitorPageText('head.from', { region: regionLabel(monitor, last_failure.region) })}
        </span>
      )}
      <CertificateMark certificate={monitor.certificate} />
      {open_incident_id && (
        <Link to="/incidents/$id" params={{ id: open_incident_id }}>
          {monitorPageText('head.incident')}
        </Link>
      )}
      {status === 'paused' ? (
        <>
          <span>{pauseInWords(monitor)}</span>
          {resume_at ? (
            <span>
              {monitorPageText('paused.resumes')} <Since at={resume_at} />
            </span>
          ) : (
            <span>{monitorPageText('paused.open')}</span>
          )}
        </>
      ) : (
        <>
          {last_checked_at && (
            <span>
              {monitorPageText('head.last')} <Since at={last_checked_at} />
            </span>
          )}
          {monitor.type !== PUSHED && <NextCheck last={last_checked_at} everySeconds={rhythmOf(monitor)} />}
        </>
      )}
      {!mayWrite && <span>{monitorPageText('head.read_only')}</span>}
    </>
  )
}

/** Only a web page is a link: a browser cannot open `host:port` or the name of a host. */
function Address({ target }: { target: string }) {
  return (
    <span className={classes.address}>
      {/^https?:/i.test(target) ? (
        <a href={target} target="_blank" rel="noreferrer">
          {target}
        </a>
      ) : (
        <span>{target}</span>
      )}
      <CopyButton text={target} what={monitorsText('address.copy')} />
    </span>
  )
}

/** Shows when the certificate ends, if the target has one. */
function CertificateMark({ certificate }: Pick<Monitor, 'certificate'>) {
  if (!certificate) return null
  const { not_after, days_left } = certificate
  const { tone, icon } = certificateLook(days_left)
  const word = days_left < 0 ? monitorPageText('head.expired') : monitorPageText('head.certificate', { days: daysInWords(days_left) })
  return (
    <span title={exact(not_after)}>
      <Status look={{ tone: tone === 'good' ? 'off' : tone, icon, word }} />
    </span>
  )
}

/** A failing monitor may be checked more often. */
function rhythmOf({ status, phase, interval_seconds, down_interval_seconds }: Monitor): number {
  const fails = status === 'down' || phase === 'validating'
  return fails ? (down_interval_seconds ?? interval_seconds) : interval_seconds
}

/** Only approximate: results arrive a little after their slot. */
function NextCheck({ last, everySeconds }: { last: string | null; everySeconds: number }) {
  const now = useNow()
  const time = durationInWords(everySeconds)
  const left = last === null ? 0 : (Date.parse(last) - now) / 1000 + everySeconds
  return (
    <span>{left >= 1 ? monitorPageText('head.next', { time, left: durationInWords(left) }) : monitorPageText('head.due', { time })}</span>
  )
}
