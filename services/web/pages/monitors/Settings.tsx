/** How a monitor is set up, in words. */
import { Link } from '@tanstack/react-router'
import { checkTypes } from '../../../../schemas/http/check-types/index.ts'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { dayTime, durationInWords, exact, Since } from '../../parts/Since.tsx'
import { monitorsText } from '../../texts/monitors.ts'
import { accessWords } from './AccessFields.tsx'
import { DeleteMonitor } from './DeleteMonitor.tsx'
import { GroupLink } from './GroupLink.tsx'
import classes from './Monitor.module.css'
import { MonitorLinks, useChildren } from './MonitorLinks.tsx'
import { severitiesInWords } from './SeverityWords.tsx'
import { fieldsOf, typeOf } from './values.ts'
import { assertionInWords, downInWords, flapInWords, listed, regionLabel, upInWords } from './words.ts'

export function Certificate({ certificate }: { certificate: NonNullable<Monitor['certificate']> }) {
  const { issuer, not_after, days_left, chain_ok } = certificate
  return (
    <Section title="Certificate" aside={<Link to="/monitors/certificates">{monitorsText('certificate.all')}</Link>}>
      <Facts
        facts={[
          [
            'Valid until',
            <time key="end" dateTime={not_after} title={exact(not_after)}>
              {dayTime(not_after)}
            </time>
          ],
          ['Days left', days_left],
          ['Issuer', issuer ?? 'Unknown'],
          ['Chain', chain_ok === null ? 'Not checked' : chain_ok ? 'Trusted' : 'Not trusted']
        ]}
      />
    </Section>
  )
}

function retryInWords({ count, strategy, base_seconds }: Monitor['retry']): string {
  if (count === 0 || strategy === 'none') return 'One attempt, no retry'
  const pause = strategy === 'fixed' ? '' : `, ${strategy} pauses`
  return `${count} more ${count === 1 ? 'attempt' : 'attempts'} after ${durationInWords(base_seconds)}${pause}`
}

function accessInWords(auth: Monitor['config']['auth']): string {
  if (!auth || auth.type === 'none') return ''
  const by = monitorsText(accessWords[auth.type])
  const who = auth.username ?? auth.client_id ?? ''
  return who === '' ? by : `${by} (${who})`
}

function requestInWords({ headers = [], auth, body, follow_redirects, verify_tls, http_version }: Monitor['config']): string {
  const words = [
    headers.length > 0 ? `headers ${listed(headers.map(({ name, secret }) => (secret ? `${name} (secret)` : name)))}` : '',
    accessInWords(auth),
    http_version === '2' ? 'HTTP/2' : '',
    body ? 'a body' : '',
    follow_redirects !== false ? '' : 'redirects are not followed',
    verify_tls !== false ? '' : 'the certificate is not verified'
  ].filter((word) => word !== '')
  return words.length === 0 ? 'Nothing special' : words.join('; ')
}

/** `Send: PING; Expect: PONG`. */
function settingsInWords(monitor: Monitor): string {
  const { config } = monitor
  const steps = (config.steps ?? []).map(({ name, method = 'GET', url }, at) => `${at + 1}. ${name || `${method} ${url}`}`)
  const words = fieldsOf(typeOf(monitor)).flatMap(({ name, label, type }) => {
    const value: unknown = Reflect.get(config, name)
    if (value === undefined || value === null || value === '') return []
    if (type === 'secret') return [`${label}: ${monitorsText('facts.secret')}`]
    return [`${label}: ${typeof value === 'boolean' ? monitorsText(value ? 'facts.yes' : 'facts.no') : [value].flat().join(', ')}`]
  })
  const all = [...steps, ...words]
  return all.length === 0 ? monitorsText('facts.default') : all.join('; ')
}

export function Settings({ monitor }: { monitor: Monitor }) {
  const children = useChildren(monitor.id)
  const mayWrite = useMay('write')
  const { config, assertions, confirmation, regions, region_states, degraded_after_ms, tls_expiry_days, tags, labels } = monitor
  const isPushed = monitor.type === PUSHED
  const checkedFrom = regions.length > 0 ? regions : region_states.map(({ region }) => region)
  const places = listed(checkedFrom.map((code) => regionLabel(monitor, code)))
  return (
    <Section title="Settings" aside={mayWrite && <DeleteMonitor monitor={monitor} />}>
      <Facts
        facts={[
          monitor.description ? ['Description', <Markdown key="description" text={monitor.description} />] : null,
          [monitorsText('facts.type'), checkTypes[typeOf(monitor)].label],
          isPushed ? null : ['Address', <Copyable key="target" text={monitor.target} what="the address" />],
          monitor.type === 'http'
            ? ['Request', `${config.method ?? 'GET'}: ${requestInWords(config)}`]
            : [monitorsText('facts.settings'), settingsInWords(monitor)],
          isPushed
            ? null
            : ['Checked', `Every ${durationInWords(monitor.interval_seconds)}, at most ${durationInWords(monitor.timeout_seconds)} long`],
          monitor.down_interval_seconds === null
            ? null
            : [monitorsText('rhythm.fact'), monitorsText('rhythm.every', { time: durationInWords(monitor.down_interval_seconds) })],
          isPushed ? null : ['From', regions.length > 0 ? places : `${places || 'Regions'} (picked by the service)`],
          [
            'Succeeds with',
            assertions.length === 0 ? (
              checkTypes[typeOf(monitor)].success
            ) : (
              <ul key="assertions" className={classes.plain}>
                {assertions.map((assertion) => (
                  <li key={JSON.stringify(assertion)}>{assertionInWords(assertion)}</li>
                ))}
              </ul>
            )
          ],
          isPushed ? null : ['Degraded', degraded_after_ms === null ? 'Never by its response time' : `Slower than ${degraded_after_ms} ms`],
          ['Goes down', downInWords(confirmation)],
          ['Comes back', upInWords(confirmation)],
          isPushed
            ? null
            : [
                monitorsText('advisory.fact'),
                monitorsText('advisory.after', { time: durationInWords(confirmation.advisory_after_seconds) })
              ],
          [monitorsText('flap.fact'), flapInWords(monitor.flap)],
          isPushed ? null : ['Attempts of a check', retryInWords(monitor.retry)],
          ['Severity', severitiesInWords(monitor)],
          monitor.repeat_interval_seconds === null
            ? null
            : [monitorsText('remind.fact'), monitorsText('remind.every', { time: durationInWords(monitor.repeat_interval_seconds) })],
          monitor.depends_on.length > 0 ? [monitorsText('depends.waits'), <MonitorLinks key="depends" ids={monitor.depends_on} />] : null,
          children.length > 0 ? [monitorsText('depends.children'), <MonitorLinks key="children" ids={children} />] : null,
          checkTypes[typeOf(monitor)].assertions.tls_days
            ? ['Certificate warnings', tls_expiry_days.length === 0 ? 'None' : `${listed(tls_expiry_days.map(String))} days before its end`]
            : null,
          monitor.group_id === null ? null : [monitorsText('group.fact'), <GroupLink key="group" id={monitor.group_id} />],
          tags.length > 0 ? ['Tags', tags.join(', ')] : null,
          Object.keys(labels).length > 0
            ? [
                'Labels',
                Object.entries(labels)
                  .map(([name, value]) => `${name}=${value}`)
                  .join(', ')
              ]
            : null,
          ['Id', <Copyable key="id" text={monitor.id} what="the monitor’s id" />],
          ['Last changed', <Since key="changed" at={monitor.updated_at} />]
        ]}
      />
    </Section>
  )
}
