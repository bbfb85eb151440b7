/**
 * Any sender that can POST. A title and a severity are enough. The body is one object, an array of
 * objects, or {"alerts": [...]}, as JSON or as a form.
 *
 * Source: docs/design/specification.md#s4-2, docs/design/inbound-sources.md#s28,
 * docs/design/api/alerts-and-routing.md#ib-10. Samples: test/fixtures/sources/generic/
 */
import type { Link } from '../../../schemas/generated/events.ts'
import { MAX_ALERT_KEY } from '../../../schemas/limits.ts'
import { batch, digest, instant, link, object, optionalText, severityOf, text, textOrNothing } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { incomingUrl, quoted, usualWords } from '../source-text.ts'

/** How much of a title identifies an alert that has no key. */
const MAX_TITLE_CHARACTERS = 10_000

const actions: ReadonlyMap<string, ParsedEvent['action']> = new Map([
  ['firing', 'fire'],
  ...['resolved', 'ok', 'up', 'closed', 'recovered', 'clear'].map((word): [string, 'resolve'] => [word, 'resolve']),
  ['acknowledged', 'ignore'] // A person's act, and the person is not known here.
])

export const source: Source = {
  kind: 'generic',
  about: {
    name: 'Incoming webhook',
    description:
      'Anything that can POST: a title and a severity are enough. status "resolved" with the same dedup_key (or title) resolves.',
    severity_map: usualWords,
    resolves_when: 'status is resolved, ok, up, closed, recovered or clear.',
    sample: { title: 'Disk full on db-7', severity: 'critical', status: 'firing', dedup_key: 'db-7/disk' },
    instructions: (publicUrl, token) => [
      {
        title: 'Open an incident',
        language: 'shell',
        text: `curl -sS ${quoted(incomingUrl(publicUrl, token))} -H 'Content-Type: application/json' \\
  -d '{"title":"Disk full on db-7","severity":"critical","dedup_key":"db-7/disk"}'
`
      },
      {
        title: 'Resolve it',
        language: 'shell',
        text: `curl -sS ${quoted(incomingUrl(publicUrl, token))} -H 'Content-Type: application/json' \\
  -d '{"title":"Disk full on db-7","status":"resolved","dedup_key":"db-7/disk"}'
`
      }
    ]
  },
  parse({ body }) {
    if (Array.isArray(body)) return batch(body, '').map((alert, index) => toEvent(alert, `[${index}]`))
    const { alerts } = body as Json
    if (alerts !== undefined) return batch(alerts, 'alerts').map((alert, index) => toEvent(alert, `alerts[${index}]`))
    return [toEvent(body, '')]
  }
}

function toEvent(value: unknown, path: string): ParsedEvent {
  const alert = object(value, path)
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const action = actionOf(alert.status, at('status'))
  const key = textOrNothing(alert.dedup_key, at('dedup_key'))
  if (key !== null && key.length > MAX_ALERT_KEY) {
    const message = `at most ${MAX_ALERT_KEY} characters`
    throw new Unparseable({ path: at('dedup_key'), rule: 'max', message, limit: MAX_ALERT_KEY, actual: key.length })
  }
  // A recovery with a key needs no title, because it opens nothing.
  const title = action === 'resolve' && key !== null ? (textOrNothing(alert.title, at('title')) ?? key) : text(alert.title, at('title'))
  const word = severityWord(alert.severity, at('severity'))
  const address = link('Link', alert.url ?? alert.link)
  return {
    action,
    reason: action === 'ignore' ? 'acknowledged' : null,
    dedup_key:
      key ?? digest(`${title.slice(0, MAX_TITLE_CHARACTERS).toLowerCase().replace(/\s+/g, ' ')}\n${optionalText(alert.source) ?? ''}`),
    title,
    description: optionalText(alert.description) ?? optionalText(alert.message),
    severity: severityOf(word),
    source_severity: word,
    occurred_at: instant(alert.occurred_at) ?? instant(alert.timestamp),
    sequence: null,
    delivery_id: null,
    labels: labelsOf(alert, at('labels')),
    links: address ? ([address] satisfies Link[]) : []
  }
}

/**
 * A missing or unknown word counts as firing: an unnecessary incident is better than a missed one.
 */
function actionOf(value: unknown, path: string): ParsedEvent['action'] {
  const word = textOrNothing(value, path)
  return word === null ? 'fire' : (actions.get(word.toLowerCase()) ?? 'fire')
}

function severityWord(value: unknown, path: string): string | null {
  if (value !== undefined && value !== null && typeof value !== 'string')
    throw new Unparseable({ path, rule: 'type', message: 'expected a string' })
  return optionalText(value)
}

/** Returns the labels, and the three fields that are stored as labels. */
function labelsOf(alert: Json, path: string): Json {
  const labels: Record<string, unknown> = Object.create(null)
  if (alert.labels !== undefined && alert.labels !== null) {
    for (const [name, value] of Object.entries(object(alert.labels, path))) labels[name] = value
  }
  for (const name of ['source', 'component', 'environment'] as const) if (optionalText(alert[name]) !== null) labels[name] = alert[name]
  return labels
}
