/**
 * Healthchecks (healthchecks.io and self-hosted), webhook integration: a check goes down or up. The
 * body is a template of the user's. Accepted are the template that this source gives them, as JSON
 * or a form; the check's own JSON ($JSON) alone or under `check`; and the shape {incident_key,
 * event_type} that some users have. Addresses in $JSON are credentials of the check and are left
 * out.
 *
 * Source: docs/design/inbound-sources.md#s19, hc/integrations/webhook in the sender's source.
 * Samples: test/fixtures/sources/healthchecks/
 */
import { secretHeaders, sharedSecret } from '../proof.ts'
import { type Fields, fieldsOf, ignored, instant, labelsOf, link, linksOf, objectOrNothing, paragraphs, single } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const sample = {
  code: '0f7c3c9e-2b7e-4e0d-9d0c-4a3b2c1d0e0f',
  name: 'nightly backup',
  slug: 'nightly-backup',
  status: 'down',
  exit: '-1',
  now: '2026-10-05T12:00:00+00:00'
}

const template = '{"code": "$CODE", "name": $NAME_JSON, "slug": "$SLUG", "status": "$STATUS", "exit": "$EXITSTATUS", "now": "$NOW"}'

export const source: Source = {
  kind: 'healthchecks',
  title_tells_state: true,
  about: {
    name: 'Healthchecks',
    description: 'The webhook of a check going down or up. Fill both halves alike: without an address for "up" nothing recovers.',
    severity_map: {},
    resolves_when: 'The check’s status is up.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In Healthchecks',
        language: 'text',
        text: `Integrations > Webhook. For "goes down" and for "goes up" alike:
Method: POST
URL: ${incomingUrl(publicUrl, token)}
Request Headers: Content-Type: application/json
Request Body:
${template}
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  headers: secretHeaders,
  verify: sharedSecret,
  parse({ body }) {
    const sent = single(body)
    return [toEvent(fieldsOf(sent), fieldsOf(objectOrNothing(sent.check)), sent)]
  }
}

const actions: ReadonlyMap<string, 'fire' | 'resolve'> = new Map([
  ['down', 'fire'],
  ['trigger', 'fire'],
  ['up', 'resolve'],
  ['resolve', 'resolve']
])

function toEvent(own: Fields, check: Fields, sent: Json): ParsedEvent {
  const key = own.text('code', 'uuid', 'incident_key') ?? check.text('uuid', 'code', 'unique_key') ?? own.text('unique_key')
  if (key === null) throw missing(own, 'code', '$CODE, the check’s id, is required in the request body')
  const status = own.text('status', 'event_type') ?? check.text('status')
  if (status === null) throw missing(own, 'status', '$STATUS is required in the request body')
  const action = actions.get(status.toLowerCase())
  if (action === undefined) return ignored('neither up nor down', key)
  const name = own.text('name') ?? check.text('name')
  const slug = own.text('slug') ?? check.text('slug')
  // The test button invents a check that is never saved: it has no slug, and a new id each time.
  if (name === 'TEST' && slug === null) return ignored('a test', key)
  const exit = own.text('exit', 'exitstatus', 'exit_status')
  const title = own.text('title')
  return {
    action,
    reason: null,
    dedup_key: key,
    title: title ?? `${name ?? slug ?? `Check ${key}`} is ${action === 'fire' ? 'down' : 'up'}`,
    description: paragraphs(
      own.text('description', 'desc') ?? check.text('desc'),
      exit === null || exit === '-1' ? null : `The last exit status was ${exit}`
    ),
    severity: null,
    source_severity: null,
    occurred_at: timeOf(own.text('now')),
    sequence: null,
    delivery_id: null,
    labels: labelsOf({ check: name, slug, tags: own.text('tags') ?? check.text('tags'), exit }),
    links: linksOf(typeof sent.incident_key === 'string' ? link('Healthchecks', sent.client_url) : null)
  }
}

function missing(fields: Fields, name: string, message: string): Unparseable {
  const unexpanded = fields.unexpanded(name)
  return new Unparseable({ path: name, rule: unexpanded === null ? 'required' : 'custom_template', message: `${message}: ${template}` })
}

/**
 * The template does not escape the plus sign of the time zone, so it arrives as a space in a form.
 */
const timeOf = (now: string | null): number | null => instant(now?.replace(/ (\d\d:\d\d)$/, '+$1'))
