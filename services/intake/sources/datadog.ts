/**
 * Datadog, webhooks integration: one event of a monitor per body, from a template of the user's, as
 * JSON or a form.
 *
 * Field names are read in any case, and under the names that templates in use give them. Without a
 * template, Datadog sends neither the monitor's id nor the transition. Then both come from the
 * title, "[Triggered on {scope}] Name".
 *
 * Source: docs/design/inbound-sources.md#s5; docs.datadoghq.com/integrations/webhooks (variables,
 * retries). Samples: test/fixtures/sources/datadog/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { secretHeaders, sharedSecret } from '../proof.ts'
import { cut, type Fields, fieldsOf, instant, labelsOf, link, linksOf, objectOrNothing, paragraphs, single, textsOf } from '../readers.ts'
import { type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** Longer than any title or text that is stored. */
const MAX_TITLE = 2000
const MAX_TEXT = 20_000

type Transition = { action: ParsedEvent['action']; atMost?: Severity }

/**
 * By the word of $ALERT_TRANSITION, which also begins a title. A monitor that only warns, or that
 * got no data, is at most a warning.
 */
const transitions: ReadonlyMap<string, Transition> = new Map<string, Transition>([
  ...['triggered', 're-triggered', 'renotify'].map((word): [string, Transition] => [word, { action: 'fire' }]),
  ...['warn', 're-warn', 'no data', 're-no data'].map((word): [string, Transition] => [word, { action: 'fire', atMost: 'warning' }]),
  ['recovered', { action: 'resolve' }],
  ['muted', { action: 'ignore' }]
])

/** Used when a template has no transition: $ALERT_TYPE, which is success only for recoveries. */
const types: ReadonlyMap<string, { action: ParsedEvent['action']; severity: Severity }> = new Map([
  ['error', { action: 'fire', severity: 'critical' }],
  ['warning', { action: 'fire', severity: 'warning' }],
  ['success', { action: 'resolve', severity: 'info' }],
  ['info', { action: 'ignore', severity: 'info' }]
])

const template = {
  alert_id: '$ALERT_ID',
  alert_scope: '$ALERT_SCOPE',
  alert_cycle_key: '$ALERT_CYCLE_KEY',
  aggreg_key: '$AGGREG_KEY',
  alert_transition: '$ALERT_TRANSITION',
  alert_type: '$ALERT_TYPE',
  alert_priority: '$ALERT_PRIORITY',
  title: '$EVENT_TITLE',
  alert_title: '$ALERT_TITLE',
  body: '$TEXT_ONLY_MSG',
  alert_query: '$ALERT_QUERY',
  alert_metric: '$ALERT_METRIC',
  hostname: '$HOSTNAME',
  tags: '$TAGS',
  url: '$LINK',
  snapshot: '$SNAPSHOT',
  date: '$DATE',
  last_updated: '$LAST_UPDATED',
  id: '$ID',
  org: { id: '$ORG_ID', name: '$ORG_NAME' }
}

const sample = {
  alert_id: '148233',
  alert_scope: 'env:prod,host:db-7',
  alert_cycle_key: '8842190017',
  alert_transition: 'Triggered',
  alert_type: 'error',
  alert_priority: 'P2',
  title: '[Triggered on {env:prod,host:db-7}] Disk almost full',
  alert_title: 'Disk almost full on host:db-7',
  body: 'disk.in_use over 0.95',
  alert_metric: 'system.disk.in_use',
  hostname: 'db-7',
  tags: 'env:prod,host:db-7,monitor,team:db',
  url: 'https://app.datadog.example.test/event/jump_to?event_id=901',
  date: '1791201600000',
  id: '901'
}

export const source: Source = {
  kind: 'datadog',
  about: {
    name: 'Datadog',
    description:
      'The webhooks integration of Datadog with the payload template shown here. Mention @webhook-NAME in the monitor’s message outside of {{#is_alert}} blocks, so that recoveries are sent too.',
    severity_map: {
      P1: 'critical',
      P2: 'critical',
      P3: 'warning',
      P4: 'info',
      P5: 'info',
      error: 'critical',
      warning: 'warning',
      info: 'info'
    },
    resolves_when: '$ALERT_TRANSITION is "Recovered"; alerts are told apart by monitor id and scope.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Integrations > Webhooks > New',
        language: 'text',
        text: `Name: service
URL: ${incomingUrl(publicUrl, token)}
Payload: the template below
Custom Headers (only where this integration has a secret): {"X-Webhook-Secret": "THE_SECRET"}
Then add @webhook-service to the message of each monitor, for alert and recovery alike.
`
      },
      { title: 'Payload', language: 'json', text: `${JSON.stringify(template, null, 2)}\n` },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  key_change: 'datadog',
  headers: secretHeaders,
  verify: sharedSecret,
  parse({ body }) {
    return [toEvent(fieldsOf(single(body)))]
  }
}

function toEvent(fields: Fields): ParsedEvent {
  const event = titleOf(fields.text('event_title', 'title'))
  const alert = titleOf(fields.text('alert_title', 'monitor_name'))
  const sent = fields.text('alert_transition', 'transition')
  const transition =
    sent !== null && sent.toLowerCase() !== 'null' ? transitions.get(sent.toLowerCase()) : (event.transition ?? alert.transition)
  const type = fields.text('alert_type')?.toLowerCase() ?? null
  const byType = type === null ? undefined : types.get(type)
  const isATest = isTest(fields, event, alert)
  const action = isATest ? 'ignore' : (transition?.action ?? (sent === null ? byType?.action : undefined) ?? 'ignore')
  const { key, former } = keysOf(fields, event, alert)
  const name = alert.name ?? event.name
  // An ignored event opens and closes nothing, so it needs no key. A body without any known field
  // does not come from Datadog.
  if (key === null && (action !== 'ignore' || sent === null)) throw unexpanded(fields)
  const priority = priorityOf(fields) ?? event.priority ?? alert.priority
  const severity = priority === null ? (byType?.severity ?? null) : (priorities[priority] ?? null)
  return {
    action,
    reason: isATest ? 'a test notification' : action === 'ignore' ? 'no transition of a monitor to a problem or back' : null,
    dedup_key: key ?? 'event',
    ...(action === 'resolve' && former !== null && { former_key: former }),
    title: name ?? (key === null ? 'An event of Datadog' : `Monitor ${key}`),
    description: textOf(fields),
    severity: transition?.atMost && severity === 'critical' ? transition.atMost : severity,
    source_severity: priority ?? type,
    occurred_at: instant(fields.value('date', 'date_posix', 'last_updated', 'timestamp')),
    // Each notification has a later time. Used as a sequence, it would reopen an incident that a
    // person closed.
    sequence: null,
    delivery_id: fields.text('id', 'event_id'),
    labels: labels(fields),
    links: linksOf(link('Event', fields.value('url', 'link', 'event_url')), link('Snapshot', fields.value('snapshot')))
  }
}

const priorities: Readonly<Record<string, Severity>> = { P1: 'critical', P2: 'critical', P3: 'warning', P4: 'info', P5: 'info' }

/** Returns P1 to P5. The $PRIORITY of events (normal, low) is something else. */
function priorityOf(fields: Fields): string | null {
  for (const name of ['alert_priority', 'monitor_priority', 'priority', 'severity']) {
    const found = /^p?([1-5])$/i.exec(fields.text(name) ?? '')
    if (found) return `P${found[1]}`
  }
  return null
}

interface Title {
  transition: Transition | null
  priority: string | null
  scope: string | null
  /** The title without Datadog's prefixes. */
  name: string | null
}

/**
 * Splits a title such as "[P2] [Triggered on {env:prod,host:db-7}] Disk almost full". Brackets at
 * the start of the monitor's own name stay.
 */
function titleOf(title: string | null): Title {
  const found: Title = { transition: null, priority: null, scope: null, name: null }
  let rest = cut(title ?? '', MAX_TITLE)
  while (rest.startsWith('[')) {
    const priority = /^\[(P[1-5])\]\s*/.exec(rest)
    const head = priority ? null : /^\[([A-Za-z][A-Za-z -]{1,20}?)(?: on \{([^\]]{0,1000})\})?\]\s*/.exec(rest)
    const transition = head ? transitions.get((head[1] ?? '').toLowerCase()) : undefined
    if (priority) found.priority ??= priority[1] ?? null
    else if (!head || !transition || found.transition) break
    else {
      found.transition = transition
      found.scope = head[2] ?? null
    }
    rest = rest.slice((priority ?? head)?.[0].length ?? rest.length)
  }
  const name = rest.trim()
  found.name = name === '' ? null : name
  return found
}

/**
 * Tells whether a person sent it by "Test notifications" of a monitor: Datadog puts [TEST] before
 * the monitor's name, and a sentence into the text. All else is as in an alert of a real group. A
 * monitor whose own name begins with [TEST] has no such sentence.
 */
const isTest = (fields: Fields, event: Title, alert: Title): boolean =>
  [event.name, alert.name].some((name) => name !== null && /^\[TEST\]/i.test(name)) &&
  /\btest notification triggered by \S/i.test(cut(sentText(fields) ?? '', MAX_TEXT))

/**
 * Returns the key: monitor and scope; else Datadog's link between trigger and recovery; else the
 * monitor alone or its name. The scope is sent, or is in the title; each group of a monitor is a
 * condition of its own. `former`: older versions used the link without the scope.
 */
function keysOf(fields: Fields, event: Title, alert: Title): { key: string | null; former: string | null } {
  const id = fields.text('alert_id', 'monitor_id')
  const sent = fields.text('alert_scope', 'scope')
  if (id !== null && sent !== null) return { key: `${id}|${sent}`, former: null }
  const scope = sent ?? event.scope ?? alert.scope
  const linked = fields.text('alert_cycle_key') ?? fields.text('aggreg_key', 'aggregation_key')
  if (linked !== null) return scope === null ? { key: linked, former: null } : { key: `${linked}|${scope}`, former: linked }
  const which = id ?? event.name ?? alert.name
  return { key: which === null ? null : `${which}|${scope ?? ''}`, former: null }
}

function unexpanded(fields: Fields): Unparseable {
  const name = fields.unexpanded('alert_id', 'monitor_id', 'alert_cycle_key', 'aggreg_key', 'event_title', 'title', 'alert_title')
  return new Unparseable({
    path: name ?? 'alert_id',
    rule: 'required',
    message:
      name === null
        ? 'the id of the monitor is required: use the payload template of this integration'
        : 'Datadog sent the variable as it stands in the template: only notifications of monitors fill it'
  })
}

const sentText = (fields: Fields): string | null => fields.text('body', 'text_only_msg', 'event_msg', 'text', 'message', 'alert_status')

/**
 * Returns the text without the Markdown markers and without the mention that triggered the webhook.
 */
function textOf(fields: Fields): string | null {
  const text = sentText(fields)
  if (text === null) return null
  return paragraphs(
    cut(text, MAX_TEXT)
      .replaceAll('%%%', '')
      .replace(/@webhook-\S+/g, '')
      .trim()
  )
}

/** Returns the tags of the form `name:value`. A tag without a name is not a label. */
function labels(fields: Fields): Record<string, string> {
  const found: Record<string, string> = Object.create(null)
  for (const tag of textsOf(fields.value('tags'))) {
    const colon = tag.indexOf(':')
    if (colon > 0 && colon < tag.length - 1) found[tag.slice(0, colon)] ??= tag.slice(colon + 1)
  }
  const org = fields.value('org')
  return Object.assign(
    found,
    labelsOf({
      monitor_id: fields.text('alert_id', 'monitor_id'),
      metric: fields.text('alert_metric'),
      hostname: fields.text('hostname', 'host'),
      org: typeof org === 'object' ? objectOrNothing(org).name : fields.text('org', 'org_name')
    })
  )
}
