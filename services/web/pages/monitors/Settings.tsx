/** How a monitor is configured, in words. */
import { Link } from '@tanstack/react-router'
import { checkTypes } from '../../../../schemas/http/check-types/index.ts'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { dayTime, durationInWords, exact, Since } from '../../parts/Since.tsx'
import { monitorDetailsText } from '../../texts/monitor-details.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { accessWords } from './AccessFields.tsx'
import { DeleteMonitor } from './DeleteMonitor.tsx'
import { GroupLink } from './GroupLink.tsx'
import classes from './Monitor.module.css'
import { MonitorLinks, useChildren } from './MonitorLinks.tsx'
import { regionLabel } from './region-label.ts'
import { fieldsOf, typeOf } from './values.ts'
import { assertionInWords, downInWords, flapInWords, listed, severitiesInWords, upInWords } from './words.ts'

export function Certificate({ certificate }: { certificate: NonNullable<Monitor['certificate']> }) {
  const { issuer, not_after, days_left, chain_ok } = certificate
  return (
    <Section
      title={monitorDetailsText('certificate.title')}
      aside={<Link to="/monitors/certificates">{monitorsText('certificate.all')}</Link>}
    >
      <Facts
        facts={[
          [
            monitorDetailsText('certificate.until'),
            <time key="end" dateTime={not_after} title={exact(not_after)}>
              {dayTime(not_after)}
            </time>
          ],
          [monitorDetailsText('certificate.days'), days_left],
          [monitorDetailsText('certificate.issuer'), issuer ?? monitorDetailsText('certificate.unknown')],
          [
            monitorDetailsText('certificate.chain'),
            monitorDetailsText(chain_ok === null ? 'certificate.unchecked' : chain_ok ? 'certificate.trusted' : 'certificate.untrusted')
          ]
        ]}
      />
    </Section>
  )
}

function retryInWords({ count, strategy, base_seconds }: Monitor['retry']): string {
  if (count === 0 || strategy === 'none') return monitorDetailsText('retry.none')
  const pauses = strategy === 'fixed' ? '' : monitorDetailsText(`retry.${strategy}`)
  const time = durationInWords(base_seconds)
  return count === 1 ? monitorDetailsText('retry.one', { time, pauses }) : monitorDetailsText('retry.some', { count, time, pauses })
}

function accessInWords(auth: Monitor['config']['auth']): string {
  if (!auth || auth.type === 'none') return ''
  const by = monitorFormText(accessWords[auth.type])
  const who = auth.username ?? auth.client_id ?? ''
  return who === '' ? by : `${by} (${who})`
}

function requestInWords(config: Monitor['config']): string {
  const { headers = [], auth, body, follow_redirects, verify_tls, http_version, capture_on_failure } = config
  const words = [
    headers.length > 0
      ? monitorDetailsText('request.headers', {
          names: listed(headers.map(({ name, secret }) => (secret ? monitorDetailsText('request.secret', { name }) : name)))
        })
      : '',
    accessInWords(auth),
    http_version === '2' ? 'HTTP/2' : '',
    body ? monitorDetailsText('request.body') : '',
    follow_redirects !== false ? '' : monitorDetailsText('request.no_redirects'),
    verify_tls !== false ? '' : monitorDetailsText('request.unverified'),
    capture_on_failure ? monitorDetailsText('request.captured') : ''
  ].filter((word) => word !== '')
  return words.length === 0 ? monitorDetailsText('request.nothing') : words.join('; ')
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
    <Section title={monitorDetailsText('facts.title')} aside={mayWrite && <DeleteMonitor monitor={monitor} />}>
      <Facts
        facts={[
          monitor.description ? [monitorDetailsText('facts.description'), <Markdown key="description" text={monitor.description} />] : null,
          [monitorsText('facts.type'), checkTypes[typeOf(monitor)].label],
          isPushed
            ? null
            : [monitorDetailsText('facts.address'), <Copyable key="target" text={monitor.target} what={monitorsText('address.copy')} />],
          monitor.type === 'http'
            ? [monitorDetailsText('facts.request'), `${config.method ?? 'GET'}: ${requestInWords(config)}`]
            : [monitorsText('facts.settings'), settingsInWords(monitor)],
          isPushed
            ? null
            : [
                monitorDetailsText('facts.checked'),
                monitorDetailsText('facts.rhythm', {
                  time: durationInWords(monitor.interval_seconds),
                  timeout: durationInWords(monitor.timeout_seconds)
                })
              ],
          monitor.down_interval_seconds === null
            ? null
            : [monitorsText('rhythm.fact'), monitorsText('rhythm.every', { time: durationInWords(monitor.down_interval_seconds) })],
          isPushed
            ? null
            : [
                monitorDetailsText('facts.from'),
                regions.length > 0 ? places : monitorDetailsText('facts.picked', { places: places || monitorDetailsText('facts.regions') })
              ],
          [
            monitorDetailsText('facts.succeeds'),
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
          isPushed
            ? null
            : [
                monitorDetailsText('facts.degraded'),
                degraded_after_ms === null
                  ? monitorDetailsText('facts.never_slow')
                  : monitorDetailsText('facts.slower', { ms: degraded_after_ms })
              ],
          [monitorDetailsText('facts.down'), downInWords(confirmation)],
          [monitorDetailsText('facts.up'), upInWords(confirmation)],
          isPushed
            ? null
            : [
                monitorsText('advisory.fact'),
                monitorsText('advisory.after', { time: durationInWords(confirmation.advisory_after_seconds) })
              ],
          [monitorsText('flap.fact'), flapInWords(monitor.flap)],
          isPushed ? null : [monitorDetailsText('facts.attempts'), retryInWords(monitor.retry)],
          [monitorDetailsText('facts.severity'), severitiesInWords(monitor)],
          monitor.repeat_interval_seconds === null
            ? null
            : [monitorsText('remind.fact'), monitorsText('remind.every', { time: durationInWords(monitor.repeat_interval_seconds) })],
          monitor.depends_on.length > 0 ? [monitorsText('depends.waits'), <MonitorLinks key="depends" ids={monitor.depends_on} />] : null,
          children.length > 0 ? [monitorsText('depends.children'), <MonitorLinks key="children" ids={children} />] : null,
          checkTypes[typeOf(monitor)].assertions.tls_days
            ? [
                monitorDetailsText('facts.warnings'),
                tls_expiry_days.length === 0
                  ? monitorDetailsText('facts.no_warnings')
                  : monitorDetailsText('facts.warned', { days: listed(tls_expiry_days.map(String)) })
              ]
            : null,
          monitor.group_id === null ? null : [monitorsText('group.fact'), <GroupLink key="group" id={monitor.group_id} />],
          tags.length > 0 ? [monitorDetailsText('facts.tags'), tags.join(', ')] : null,
          Object.keys(labels).length > 0
            ? [
                monitorDetailsText('facts.labels'),
                Object.entries(labels)
                  .map(([name, value]) => `${name}=${value}`)
                  .join(', ')
              ]
            : null,
          [monitorDetailsText('facts.id'), <Copyable key="id" text={monitor.id} what={monitorDetailsText('facts.id_copy')} />],
          [monitorDetailsText('facts.changed'), <Since key="changed" at={monitor.updated_at} />]
        ]}
      />
    </Section>
  )
}
