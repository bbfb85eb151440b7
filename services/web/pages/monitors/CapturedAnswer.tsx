/**
 * The answer of a failed check as its prober stored it: status line, headers and the beginning of
 * the body. It loads when the check is opened, and only for administrators of the workspace.
 */
import { useQuery } from '@tanstack/react-query'
import { captureQuery } from '../../api/monitors.ts'
import { useMay } from '../../api/session.ts'
import type { Capture, Check } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { dayTime } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { monitorDetailsText } from '../../texts/monitor-details.ts'
import classes from './CapturedAnswer.module.css'

export function CapturedAnswer({ check }: { check: Check }) {
  const mayAdminister = useMay('administer')
  return (
    <section className={classes.answer} aria-label={monitorDetailsText('captured.title')}>
      <h3>{monitorDetailsText('captured.title')}</h3>
      {!check.captured ? (
        <p>{monitorDetailsText('captured.not_kept')}</p>
      ) : mayAdminister ? (
        <Kept check={check} />
      ) : (
        <p>{monitorDetailsText('captured.admins')}</p>
      )}
    </section>
  )
}

function Kept({ check: { monitor_id, check_id } }: { check: Check }) {
  const asked = useQuery(captureQuery(monitor_id, check_id))
  const { data } = asked
  if (data === undefined) return <Awaiting of={asked} rows={3} />
  return data === null ? <p>{monitorDetailsText('captured.gone')}</p> : <Shown capture={data} />
}

/** Returns the status line and headers as they look in HTTP/1.1. */
function headOf({ http_version, status, status_text, headers }: Capture): string {
  const first = [`HTTP/${http_version ?? '1.1'}`, status, status_text ?? ''].join(' ').trim()
  return [first, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n')
}

function Shown({ capture }: { capture: Capture }) {
  const { headers_left_out, body, body_kind, body_bytes, body_cut, kept_until } = capture
  return (
    <>
      <CopyBlock title={monitorDetailsText('captured.headers')} text={headOf(capture)} />
      {headers_left_out > 0 && <p>{monitorDetailsText('captured.left_out', { count: headers_left_out })}</p>}
      {body_kind === 'text' && body !== null ? (
        <>
          <CopyBlock title={monitorDetailsText('captured.body')} text={body} />
          {body_cut && <p>{monitorDetailsText('captured.cut')}</p>}
        </>
      ) : (
        <p>
          {body_kind === 'none' ? monitorDetailsText('captured.no_body') : monitorDetailsText('captured.binary', { count: body_bytes })}
        </p>
      )}
      <p>{monitorDetailsText('captured.until', { time: dayTime(kept_until) })}</p>
    </>
  )
}
