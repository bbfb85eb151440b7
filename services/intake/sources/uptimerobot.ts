/**
 * UptimeRobot: one change of one monitor. Its variables come as a form, as JSON, in a body of the
 * user's, or in the query of a GET.
 *
 * Field names are read in any case, with or without underscores, because users write their own
 * bodies. When such a body has no monitor id, the address and the name identify the monitor: both
 * also come with the recovery. A notice of expiry has a key of its own; otherwise the next Up would
 * end it.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s15,
 * help.uptimerobot.com/en/articles/14498593-webhook-integration. Samples:
 * test/fixtures/sources/uptimerobot/
 */
import { secretHeaders, sharedSecret } from '../proof.ts'
import { type Fields, fieldsOf, ignored, instant, labelsOf, link, linksOf, paragraphs, single, textsOf } from '../readers.ts'
import { type SequencedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const sample = {
  monitorID: '779411223',
  monitorURL: 'https://shop.example.test/',
  monitorFriendlyName: 'Shop',
  alertType: '1',
  alertTypeFriendlyName: 'Down',
  alertDetails: 'HTTP 503 - Service Unavailable',
  alertDateTime: '1791201600'
}

export const source: Source = {
  kind: 'uptimerobot',
  title_tells_state: true,
  about: {
    name: 'UptimeRobot',
    description:
      'The webhook of an alert contact. Let it send the default variables, and choose Up events as well as Down events, or nothing recovers.',
    severity_map: {},
    resolves_when: 'The monitor is up again: alertType 2. A notice of an expiring certificate or domain is not resolved by it.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In UptimeRobot',
        language: 'text',
        text: `Integrations > Webhook > Add
URL to notify: ${incomingUrl(publicUrl, token)}
Events: Up and Down, and SSL & domain expiry if you like
Send default variables as POST parameters: on
POST value (JSON format): leave empty

Where only a GET can be sent, end the URL with a question mark; UptimeRobot appends the variables:
${incomingUrl(publicUrl, token)}?
`
      },
      {
        title: 'A body of your own, sent as JSON',
        language: 'json',
        text: `{
  "monitorID": "*monitorID*",
  "monitorURL": "*monitorURL*",
  "monitorFriendlyName": "*monitorFriendlyName*",
  "alertType": "*alertType*",
  "alertTypeFriendlyName": "*alertTypeFriendlyName*",
  "alertDetails": "*alertDetails*",
  "alertDateTime": "*alertDateTime*",
  "alertFriendlyDuration": "*alertFriendlyDuration*",
  "sslExpiryDate": "*sslExpiryDate*",
  "sslExpiryDaysLeft": "*sslExpiryDaysLeft*",
  "domainExpireDate": "*domainExpireDate*"
}
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  headers: secretHeaders,
  query: true,
  verify: sharedSecret,
  sequence: 'position',
  parse: ({ body }) => [toEvent(fieldsOf(single(body)))]
}

type State = 'down' | 'up' | 'expiry'

const types: ReadonlyMap<string, State> = new Map([
  ['1', 'down'],
  ['2', 'up'],
  ['3', 'expiry']
])

function toEvent(fields: Fields): SequencedEvent {
  const name = fields.text('monitorfriendlyname', 'monitor_friendly_name', 'monitorname', 'monitor_name')
  const address = fields.text('monitorurl', 'monitor_url')
  const monitor = monitorOf(fields, name, address)
  const state = stateOf(fields)
  if (state === null) return ignored('neither up, down nor an expiry', monitor)
  const sent = fields.value('alertdatetime', 'alert_date_time', 'alert_datetime')
  const at = instant(sent)
  const called = name ?? address ?? `Monitor ${monitor}`
  return {
    action: state === 'up' ? 'resolve' : 'fire',
    reason: null,
    dedup_key: state === 'expiry' ? `${monitor}:expiry` : monitor,
    title: state === 'expiry' ? `${called}: certificate or domain expiring` : `${called} is ${state}`,
    description: paragraphs(fields.text('alertdetails', 'alert_details'), state === 'expiry' ? expiryOf(fields) : durationOf(fields)),
    severity: state === 'expiry' ? 'warning' : null,
    source_severity: null,
    occurred_at: at,
    sequence: at === null ? null : Math.floor(at / 1000),
    delivery_id: null,
    labels: labelsOf({
      monitor_id: fields.text('monitorid', 'monitor_id'),
      monitor: name,
      type: fields.text('monitortype', 'monitor_type'),
      group: fields.text('monitorgroup', 'monitor_group'),
      tags: textsOf(fields.value('monitortags', 'monitor_tags', 'tags')).join(','),
      status_code: fields.text('httpstatuscode', 'http_status_code')
    }),
    links: linksOf(link('UptimeRobot', fields.text('dashboardurl', 'dashboard_url')), link('Monitor', address))
  }
}

/**
 * Returns the state from the number, or from the word when a user's own body has no number. null
 * for an unknown number or word.
 */
function stateOf(fields: Fields): State | null {
  const type = fields.text('alerttype', 'alert_type')
  const number = type === null ? undefined : types.get(type)
  if (number !== undefined) return number
  const word = fields.text('alerttypefriendlyname', 'alert_type_friendly_name', 'status')?.toLowerCase() ?? null
  if (type === null && word === null) {
    const unexpanded = fields.unexpanded('alerttype', 'alert_type', 'alerttypefriendlyname', 'alert_type_friendly_name', 'status')
    throw new Unparseable({
      path: unexpanded ?? 'alertType',
      rule: unexpanded === null ? 'required' : 'custom_template',
      message: 'expected 1 (down), 2 (up) or 3 (expiry): send the default variables, or *alertType* in a body of your own'
    })
  }
  // An unknown number is another kind of event, whatever its name.
  if (type !== null && /^\d+$/.test(type)) return null
  const said = type !== null && word === null ? type.toLowerCase() : word
  if (said === 'down' || said === 'up') return said
  return said !== null && /expir|ssl|domain/.test(said) ? 'expiry' : null
}

function monitorOf(fields: Fields, name: string | null, address: string | null): string {
  const id = fields.text('monitorid', 'monitor_id')
  if (id !== null) return id
  if (name !== null || address !== null) return `${address ?? ''}|${name ?? ''}`
  throw new Unparseable({
    path: fields.unexpanded('monitorid', 'monitor_id') ?? 'monitorID',
    rule: 'required',
    message: 'the monitor’s id is required, or its address and name: without them all monitors would be one'
  })
}

function expiryOf(fields: Fields): string | null {
  const left = fields.text('sslexpirydaysleft', 'ssl_expiry_days_left')
  const certificate = fields.text('sslexpirydate', 'ssl_expiry_date')
  const domain = fields.text('domainexpiredate', 'domain_expire_date', 'domainexpirydate', 'domain_expiry_date')
  return paragraphs(
    certificate === null && left === null
      ? null
      : `The certificate expires${certificate === null ? '' : ` ${certificate}`}${left === null ? '' : ` (${left} days left)`}`,
    domain === null ? null : `The domain expires ${domain}`
  )
}

function durationOf(fields: Fields): string | null {
  const duration = fields.text('alertfriendlyduration', 'alert_friendly_duration')
  return duration === null ? null : `It lasted ${duration}`
}
