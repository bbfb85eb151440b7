/**
 * BugSnag (Insight Hub): `trigger` says what happened, and an error is one condition for all its
 * events.
 *
 * The event in a delivery is one example of its error. Its time is used when the error fires, and
 * not when a person changes the state.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s14,
 * docs.bugsnag.com/product/integrations/webhook. Samples: test/fixtures/sources/bugsnag/
 */
import {
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  objectOrNothing,
  optionalText,
  paragraphs,
  severityOf,
  single,
  text
} from '../readers.ts'
import type { Json, ParsedEvent, Source } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const sample = {
  account: { id: 'acc-1', name: 'Shop', url: 'https://bugsnag.example.test/accounts/shop' },
  project: { id: 'prj-7', name: 'storefront', url: 'https://bugsnag.example.test/shop/storefront' },
  trigger: { type: 'firstException', message: 'New error' },
  error: {
    id: 'evt-900',
    errorId: 'err-41',
    exceptionClass: 'NoMethodError',
    message: "undefined method 'total' for nil",
    context: 'checkout#create',
    severity: 'error',
    status: 'open',
    releaseStage: 'production',
    url: 'https://bugsnag.example.test/shop/storefront/errors/err-41?event_id=evt-900'
  }
}

export const source: Source = {
  kind: 'bugsnag',
  about: {
    name: 'BugSnag',
    description:
      'The webhook of a project. Tick the triggers for new, frequent and reopened errors, and “A collaborator changes the state of an error”: that one tells of recoveries.',
    severity_map: { error: 'critical', warning: 'warning', info: 'info' },
    resolves_when: 'Somebody marks the error as fixed. Ignoring or snoozing it does not resolve.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In BugSnag',
        language: 'text',
        text: `Project settings > Integrations and email > Data forwarding > Webhook
URL: ${incomingUrl(publicUrl, token)}
Notify when: A new error occurs, An error occurs frequently, An error is automatically reopened,
             A collaborator changes the state of an error
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  parse({ body }) {
    const delivery = single(body)
    const trigger = objectOrNothing(delivery.trigger)
    // Only letters are compared: the documentation writes one of the words with a hyphen.
    const type = lettersOf(text(trigger.type, 'trigger.type'))
    if (type === 'projectspiking') return [spike(delivery, trigger)]
    if (type === 'errorstatemanualchange') return [stateChange(delivery, trigger)]
    return [firing.has(type) ? toEvent('fire', delivery, trigger) : ignored('not a trigger of an error')]
  }
}

const firing: ReadonlySet<string> = new Set(['firstexception', 'exception', 'erroreventfrequency', 'powerten', 'reopened'])

/** Only this many characters of a word are compared. */
const MAX_WORD = 64

const lettersOf = (word: string): string =>
  word
    .slice(0, MAX_WORD)
    .toLowerCase()
    .replace(/[^a-z]/g, '')

/**
 * Only a change to fixed counts. The delivery gives the new state; if it does not, the error's own
 * status is used.
 */
function stateChange(delivery: Json, trigger: Json): ParsedEvent {
  const error = objectOrNothing(delivery.error)
  const state = optionalText(trigger.stateChange) ?? optionalText(error.status)
  return state !== null && lettersOf(state) === 'fixed'
    ? toEvent('resolve', delivery, trigger)
    : ignored('the error is not marked as fixed', keyOf(error))
}

function toEvent(action: 'fire' | 'resolve', delivery: Json, trigger: Json): ParsedEvent {
  const error = objectOrNothing(delivery.error)
  const project = objectOrNothing(delivery.project)
  const severity = optionalText(error.severity)
  const named = [optionalText(error.exceptionClass), optionalText(error.message)].filter((part) => part !== null).join(': ')
  return {
    action,
    reason: null,
    dedup_key: keyOf(error),
    title: named || (optionalText(trigger.message) ?? 'An error without a title'),
    description: optionalText(error.context),
    severity: severityOf(severity),
    source_severity: severity,
    occurred_at: action === 'fire' ? instant(error.receivedAt) : null,
    sequence: null,
    delivery_id: null,
    labels: labelsOf({
      project: project.name ?? project.id,
      release_stage: error.releaseStage,
      app_version: error.appVersion,
      context: error.context,
      severity,
      unhandled: error.unhandled,
      trigger: trigger.type
    }),
    links: linksOf(link('BugSnag', error.url), link('Project', project.url), link('Issue', objectOrNothing(error.createdIssue).url))
  }
}

/** `error.id` is the id of the event: as a key it would open an incident for each event. */
function keyOf(error: Json): string {
  const address = optionalText(error.url)
  const inAddress = address === null ? undefined : /\/errors\/([\w-]{1,100})/.exec(address)?.[1]
  return `error:${optionalText(error.errorId) ?? inAddress ?? text(error.errorId, 'error.errorId')}`
}

/** BugSnag does not report the end of a spike. */
function spike(delivery: Json, trigger: Json): ParsedEvent {
  const project = objectOrNothing(delivery.project)
  const key = `spike:${text(project.id, 'project.id')}`
  const rate = optionalText(trigger.rate)
  return {
    action: 'fire',
    reason: null,
    dedup_key: key,
    title: `A spike in the errors of ${optionalText(project.name) ?? 'a project'}`,
    description: paragraphs(optionalText(trigger.message), rate === null ? null : `${rate} events`),
    severity: 'warning',
    source_severity: null,
    occurred_at: null,
    sequence: null,
    delivery_id: null,
    labels: labelsOf({ project: project.name ?? project.id, trigger: trigger.type }),
    links: linksOf(link('Project', project.url))
  }
}
