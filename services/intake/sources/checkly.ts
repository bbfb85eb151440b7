/**
 * Checkly, webhook alert channel: a body has one alert of a check. It comes from the user's
 * Handlebars template, in which all values are HTML-escaped texts. A failure that is retried may
 * arrive after its recovery, so the time of the delivery orders them.
 *
 * Source: docs/design/inbound-sources.md#s8; checklyhq.com/docs, webhooks (variables, alert types,
 * signature). Samples: test/fixtures/sources/checkly/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { isHmac, textSetting } from '../proof.ts'
import { cut, fieldsOf, instant, labelsOf, link, linksOf, paragraphs, single, textsOf } from '../readers.ts'
import { type SequencedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** Longer than any text that is stored, even when escaped. */
const MAX_TEXT = 60_000
const SIGNATURE = 'x-checkly-signature'
const TIMESTAMP = 'x-checkly-timestamp'

interface CheckAlert {
  action: SequencedEvent['action']
  severity: Severity | null
}

const broken: CheckAlert = { action: 'fire', severity: 'critical' }
const degraded: CheckAlert = { action: 'fire', severity: 'warning' }
const recovered: CheckAlert = { action: 'resolve', severity: null }
const nothing: CheckAlert = { action: 'ignore', severity: null }

const types: ReadonlyMap<string, CheckAlert> = new Map([
  ['ALERT_FAILURE', broken],
  ['ALERT_FAILURE_REMAIN', broken],
  ['ALERT_DEGRADED_FAILURE', broken],
  ['ALERT_DEGRADED', degraded],
  ['ALERT_DEGRADED_REMAIN', degraded],
  ['ALERT_FAILURE_DEGRADED', degraded],
  ['ALERT_SSL', degraded],
  ['ALERT_RECOVERY', recovered],
  ['ALERT_DEGRADED_RECOVERY', recovered],
  ['NO_ALERT', nothing]
])

const template = `{
  "event": "{{ALERT_TITLE}}",
  "alert_type": "{{ALERT_TYPE}}",
  "check_id": "{{CHECK_ID}}",
  "check_name": "{{CHECK_NAME}}",
  "check_type": "{{CHECK_TYPE}}",
  "group_name": "{{GROUP_NAME}}",
  "check_result_id": "{{CHECK_RESULT_ID}}",
  "error": "{{CHECK_ERROR_MESSAGE}}",
  "response_time": "{{RESPONSE_TIME}}",
  "status_code": "{{API_CHECK_RESPONSE_STATUS_CODE}}",
  "location": "{{RUN_LOCATION}}",
  "started_at": "{{STARTED_AT}}",
  "link": "{{RESULT_LINK}}",
  "tags": [{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}],
  "ssl_days": "{{SSL_DAYS_REMAINING}}",
  "ssl_domain": "{{SSL_CHECK_DOMAIN}}"
}
`

const sample = {
  event: 'Check &quot;Login API&quot; has failed',
  alert_type: 'ALERT_FAILURE',
  check_id: '7c0b3f5e-6d0a-4f0e-9a55-1f2e3d4c5b6a',
  check_name: 'Login API',
  check_type: 'API',
  group_name: 'Auth',
  check_result_id: 'a9c1',
  error: 'expected 200, got 503',
  response_time: '1804',
  status_code: '503',
  location: 'Frankfurt',
  started_at: '2026-10-05T12:00:00.000Z',
  link: 'https://app.checkly.example.test/checks/7c0b/results/a9c1',
  tags: ['prod'],
  ssl_days: '',
  ssl_domain: ''
}

export const source: Source = {
  kind: 'checkly',
  about: {
    name: 'Checkly',
    description:
      'A webhook alert channel of Checkly with method POST and the template shown here, subscribed to failures, degradations and recoveries. SSL notices have no recovery.',
    severity_map: { ALERT_FAILURE: 'critical', ALERT_DEGRADED_FAILURE: 'critical', ALERT_DEGRADED: 'warning', ALERT_SSL: 'warning' },
    resolves_when: 'alert_type is ALERT_RECOVERY or ALERT_DEGRADED_RECOVERY, with the same check_id.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Alert settings > Add more channels > Webhook',
        language: 'text',
        text: `Method: POST
URL: ${incomingUrl(publicUrl, token)}
Headers: Content-Type: application/json
Body: the template below
Webhook secret (only where this integration has one): the same secret
Subscribe the channel to failures, degradations and recoveries.
`
      },
      { title: 'Body', language: 'text', text: template },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: [SIGNATURE, TIMESTAMP],
  verify: {
    settings: {
      secret: { type: 'text', secret: true, description: 'The webhook secret of the alert channel. Unsigned deliveries are refused.' }
    },
    check({ bytes, headers, settings }) {
      const secret = textSetting(settings, 'secret')
      if (secret === null) return null
      const signature = headers[SIGNATURE]
      if (signature === undefined) return `The header ${SIGNATURE} is missing`
      return isHmac(signature, 'hex', secret, bytes) ? null : `The signature in ${SIGNATURE} does not match the body`
    }
  },
  title_tells_state: true,
  sequence: 'position',
  parse({ body, headers }) {
    const fields = fieldsOf(single(body))
    const text = (...names: string[]): string | null => {
      const found = fields.text(...names)
      return found === null ? null : unescaped(cut(found, MAX_TEXT))
    }
    const id = text('check_id', 'checkid')
    if (id === null)
      throw new Unparseable({
        path: fields.unexpanded('check_id') ?? 'check_id',
        rule: 'required',
        message: 'the id of the check is required'
      })
    const word = text('alert_type', 'alerttype')
    if (word === null)
      throw new Unparseable({
        path: fields.unexpanded('alert_type') ?? 'alert_type',
        rule: 'required',
        message: 'the type of the alert is required'
      })
    const type = typeOf(word.toUpperCase())
    const isCertificate = word.toUpperCase() === 'ALERT_SSL'
    const started = instant(text('started_at', 'startedat'))
    const sent = instant(headers[TIMESTAMP]) ?? started
    // A reminder says that the same failure goes on. With a sequence it would be a later one, and
    // would open again what a person has ended.
    const isReminder = word.toUpperCase().endsWith('_REMAIN')
    const name = text('check_name', 'checkname')
    const days = text('ssl_days', 'ssl_days_remaining')
    const domain = text('ssl_domain', 'ssl_check_domain')
    return [
      {
        action: type.action,
        reason: type.action === 'ignore' ? 'an alert type that is neither a problem nor its end' : null,
        dedup_key: isCertificate ? `${id}:ssl` : id,
        title: text('event', 'alert_title', 'title') ?? name ?? `Check ${id}`,
        description: paragraphs(
          text('error', 'check_error_message'),
          isCertificate && days !== null ? `Days left for ${domain ?? 'the certificate'}: ${days}` : null
        ),
        severity: type.severity,
        source_severity: word,
        // Reminders are ordered by the time when they were sent, so recoveries must be, too.
        occurred_at: isReminder || type.action === 'resolve' ? sent : started,
        sequence: isReminder ? null : sent,
        delivery_id: null, // A retry cannot be told from a result's other alerts.
        labels: labelsOf({
          check: name,
          check_type: text('check_type', 'checktype'),
          group: text('group_name', 'groupname'),
          location: text('location', 'run_location', 'region'),
          status_code: text('status_code', 'api_check_response_status_code'),
          response_time: text('response_time'),
          ssl_domain: domain,
          tags: unescaped(cut(textsOf(fields.value('tags')).join(','), MAX_TEXT))
        }),
        links: linksOf(link('Result', text('link', 'result_link')))
      }
    ]
  }
}

/**
 * Returns the meaning of an alert type. Undocumented types are recognised by their parts, like the
 * old ALERT_FAIL. An unknown type that mentions a recovery does not resolve.
 */
function typeOf(type: string): CheckAlert {
  const known = types.get(type)
  if (known) return known
  if (type.includes('RECOVER')) return nothing
  return type.includes('FAIL') ? broken : type.includes('DEGRADED') ? degraded : nothing
}

const characters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#x27': "'",
  '#39': "'",
  '#x60': '`',
  '#x3D': '=',
  '#x2F': '/'
}

/** Undoes the escapes of Handlebars' double braces. */
const unescaped = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(amp|lt|gt|quot|#x27|#39|#x60|#x3D|#x2F);/g, (whole, name: string) => characters[name] ?? whole)
    : text
