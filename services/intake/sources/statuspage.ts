/**
 * Atlassian Statuspage, and pages that send nearly the same: what a status page of another company
 * sends to its subscribers about an incident or a component.
 *
 * Source: docs/design/inbound-sources.md#s27; support.atlassian.com/statuspage, webhook
 * notifications. Samples: test/fixtures/sources/statuspage/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import {
  choiceOption,
  flag,
  flagOption,
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  object,
  objectOrNothing,
  optionalText,
  single,
  text
} from '../readers.ts'
import { type Json, type ParsedEvent, type Source, type SourceInput, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const MAX_COMPONENTS = 10
/** Only this many characters of a word are compared. */
const MAX_WORD = 64

const sample = {
  meta: { generated_at: '2026-10-05T12:00:01.000Z' },
  page: { id: 'pg7xkq', status_indicator: 'major', status_description: 'Partial System Outage' },
  incident: {
    id: 'in4c9z',
    name: 'Payment API errors',
    status: 'investigating',
    impact: 'major',
    shortlink: 'https://stspg.io/in4c9z',
    updated_at: '2026-10-05T12:00:00.500Z',
    incident_updates: [{ id: 'up1', status: 'investigating', body: 'We are looking into errors.', display_at: '2026-10-05T12:00:00.400Z' }],
    components: [{ id: 'cm2', name: 'Payments', status: 'partial_outage' }]
  }
}

export const source: Source = {
  kind: 'statuspage',
  about: {
    name: 'Statuspage',
    description:
      'Incidents on the status page of a service that you depend on: subscribe to it by webhook. Component changes and maintenance can be taken in too.',
    severity_map: { critical: 'critical', major: 'critical', minor: 'warning', none: 'info', maintenance: 'info' },
    resolves_when: 'The incident is resolved, completed or in postmortem; a component is operational again.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Subscription',
        language: 'text',
        text: `On the status page of the service: Subscribe to updates > Webhook
  URL:    ${incomingUrl(publicUrl, token)}
  Email:  where the page writes to when this address does not answer
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  title_tells_state: true,
  options: {
    events: {
      type: 'choice',
      choices: ['incidents', 'components', 'both'],
      default: 'incidents',
      description: 'What is listened to: an outage is usually told as an incident and as a change of components.'
    },
    include_maintenance: { type: 'boolean', default: false, description: 'Open an incident of severity info for scheduled maintenance.' }
  },
  parse(input) {
    const body = single(input.body)
    const wanted = choiceOption(input.options, 'events', 'incidents')
    const { incident, component, component_update, maintenance } = body
    if (isThere(incident)) return [wanted === 'components' ? ignored('event') : fromIncident(body, object(incident, 'incident'), input)]
    if (isThere(component) || isThere(component_update)) return [wanted === 'incidents' ? ignored('event') : fromComponent(body, input)]
    // Some pages send maintenance separately.
    if (isThere(maintenance)) return [ignored('maintenance')]
    throw new Unparseable({ path: 'incident', rule: 'required', message: 'expected an incident, or a component and its update' })
  }
}

const isThere = (part: unknown): boolean => part !== undefined && part !== null

type Phase = 'fire' | 'resolve' | 'maintenance'

const incidentPhases: ReadonlyMap<string | null, Phase> = new Map([
  ['investigating', 'fire'],
  ['identified', 'fire'],
  ['monitoring', 'fire'],
  ['resolved', 'resolve'],
  ['postmortem', 'resolve'],
  ['completed', 'resolve'],
  ['scheduled', 'maintenance'],
  ['inprogress', 'maintenance'],
  ['verifying', 'maintenance']
])

const componentPhases: ReadonlyMap<string | null, Phase> = new Map([
  ['operational', 'resolve'],
  ['degradedperformance', 'fire'],
  ['partialoutage', 'fire'],
  ['majoroutage', 'fire'],
  ['undermaintenance', 'maintenance']
])

/** Impacts of incidents and states of components. */
const severities: ReadonlyMap<string | null, Severity> = new Map([
  ['critical', 'critical'],
  ['major', 'critical'],
  ['minor', 'warning'],
  ['none', 'info'],
  ['maintenance', 'info'],
  ['majoroutage', 'critical'],
  ['partialoutage', 'warning'],
  ['degradedperformance', 'warning'],
  ['undermaintenance', 'info']
])

/** Compatible pages differ in capitals and underscores. */
const wordOf = (value: unknown): string | null =>
  optionalText(value)
    ?.slice(0, MAX_WORD)
    .toLowerCase()
    .replace(/[^a-z]/g, '') ?? null

const maintains = (input: SourceInput): boolean => flagOption(input.options, 'include_maintenance', false)

function fromIncident(body: Json, incident: Json, input: SourceInput): ParsedEvent {
  const status = wordOf(incident.status)
  const page = pageOf(body, incident)
  const key = `inc:${page ?? ''}:${text(incident.id, 'incident.id')}`
  const phase = incidentPhases.get(status)
  const isMaintenance = phase === 'maintenance' || (phase === 'fire' && optionalText(incident.scheduled_for) !== null)
  if (phase === undefined) return ignored('unknown_status', key)
  if (flag(incident.backfilled)) return ignored('backfilled', key)
  if (isMaintenance && !maintains(input)) return ignored('maintenance', key)
  const update = latestUpdate(incident)
  const impact = optionalText(incident.impact)
  const components = listOrNothing(incident.components).slice(0, MAX_COMPONENTS)
  const names = components.map((component) => optionalText(objectOrNothing(component).name)).filter((name) => name !== null)
  return {
    action: phase === 'resolve' ? 'resolve' : 'fire',
    reason: null,
    dedup_key: key,
    title: optionalText(incident.name) ?? 'Incident on a status page',
    description: optionalText(update.body),
    severity: isMaintenance ? 'info' : (severities.get(wordOf(impact)) ?? null),
    source_severity: impact,
    // resolved_at may be set to an earlier time by hand. A recovery must not look older than the
    // incident that it ends.
    occurred_at: instant(incident.updated_at) ?? instant(update.created_at) ?? instant(incident.resolved_at ?? incident.created_at),
    sequence: null,
    delivery_id: null,
    labels: labelsOf({ page, status: incident.status, components: names.join(', ') }),
    links: linksOf(link('Status page', incident.shortlink ?? incident.url))
  }
}

function fromComponent(body: Json, input: SourceInput): ParsedEvent {
  const component = objectOrNothing(body.component)
  const update = objectOrNothing(body.component_update)
  const page = pageOf(body, component)
  const key = `cmp:${page ?? ''}:${optionalText(component.id) ?? text(update.component_id, 'component.id')}`
  const word = optionalText(update.new_status) ?? optionalText(component.status)
  const status = wordOf(word)
  const phase = componentPhases.get(status)
  if (phase === undefined) return ignored('unknown_status', key)
  if (phase === 'maintenance' && !maintains(input)) return ignored('maintenance', key)
  const name = optionalText(component.name) ?? 'Component'
  return {
    action: phase === 'resolve' ? 'resolve' : 'fire',
    reason: null,
    dedup_key: key,
    title: `${name}: ${(word ?? '').slice(0, MAX_WORD).toLowerCase().replaceAll('_', ' ')}`,
    description: optionalText(component.description),
    severity: severities.get(status) ?? null,
    source_severity: word,
    occurred_at: instant(update.created_at) ?? instant(component.updated_at),
    sequence: null,
    delivery_id: null,
    labels: labelsOf({ page, status: word, component: component.name }),
    links: []
  }
}

/** The test messages of some pages do not have the page. */
const pageOf = (body: Json, part: Json): string | null => optionalText(objectOrNothing(body.page).id) ?? optionalText(part.page_id)

/** Returns the newest update, whatever their order. */
function latestUpdate(incident: Json): Json {
  let latest: Json = {}
  let at = Number.NEGATIVE_INFINITY
  for (const value of listOrNothing(incident.incident_updates)) {
    const update = objectOrNothing(value)
    const shown = instant(update.display_at) ?? instant(update.created_at) ?? Number.MIN_SAFE_INTEGER
    if (shown <= at) continue
    latest = update
    at = shown
  }
  return latest
}
