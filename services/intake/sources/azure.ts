/**
 * Azure Monitor, common alert schema: one alert instance per request, from the webhook action of an
 * action group. `monitorCondition` says whether it fires or is resolved; `alertId` is the same in
 * both requests. Everything under alertContext depends on the kind of alert and may be missing.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s21. Samples:
 * test/fixtures/sources/azure/
 */
import type { Link, Severity } from '../../../schemas/generated/events.ts'
import {
  addressPart,
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  object,
  objectOrNothing,
  optionalText,
  paragraphs,
  single,
  text
} from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/**
 * The button "Test" of an action group sends samples of this made-up subscription, with rules
 * called test-….
 */
const TEST_SUBSCRIPTION = '/subscriptions/11111111-1111-1111-1111-111111111111/'

/** Only this many characters of a word are compared. */
const MAX_WORD = 64

const severities: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ['sev0', 'critical'],
  ['sev1', 'critical'],
  ['sev2', 'warning'],
  ['sev3', 'info'],
  ['sev4', 'info']
])

const sample = {
  schemaId: 'azureMonitorCommonAlertSchema',
  data: {
    essentials: {
      alertId:
        '/subscriptions/0b1c2d3e-0000-4000-8000-000000000001/providers/Microsoft.AlertsManagement/alerts/0a1b2c3d-0000-4000-8000-00000000abcd',
      alertRule: 'cpu-over-90',
      severity: 'Sev1',
      signalType: 'Metric',
      monitorCondition: 'Fired',
      monitoringService: 'Platform',
      configurationItems: ['web-1'],
      firedDateTime: '2026-10-05T12:00:00.1234567Z',
      description: 'CPU high',
      essentialsVersion: '1.0',
      alertContextVersion: '1.0'
    },
    alertContext: {}
  }
}

export const source: Source = {
  kind: 'azure',
  about: {
    name: 'Azure Monitor',
    description:
      'Alerts of Azure Monitor through the webhook action of an action group. Turn on "Enable the common alert schema" for that action, and automatic resolution for the alert rule.',
    severity_map: { Sev0: 'critical', Sev1: 'critical', Sev2: 'warning', Sev3: 'info', Sev4: 'info' },
    resolves_when:
      'monitorCondition is Resolved for the same alertId. Activity log, service health and stateless log alerts never send that.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Action group',
        language: 'text',
        text: `Azure portal > Monitor > Alerts > Action groups > Create (or edit one) > Actions
  Action type:                     Webhook
  URI:                             ${incomingUrl(publicUrl, token)}
  Enable the common alert schema:  Yes
Then add the action group to your alert rules, and keep "Automatically resolve alerts" on in each rule.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  parse({ body }) {
    const { data } = single(body)
    const { essentials, alertContext, customProperties } = objectOrNothing(data)
    if (typeof essentials !== 'object' || essentials === null || Array.isArray(essentials)) {
      throw new Unparseable({
        path: 'data.essentials',
        rule: 'common_schema_required',
        message: 'expected the common alert schema: enable it for the webhook action of the action group'
      })
    }
    return [toEvent(object(essentials, 'data.essentials'), objectOrNothing(alertContext), objectOrNothing(customProperties))]
  }
}

function toEvent(essentials: Json, context: Json, custom: Json): ParsedEvent {
  const condition = text(essentials.monitorCondition, 'data.essentials.monitorCondition').toLowerCase()
  const id = optionalText(essentials.alertId)
  const rule = optionalText(essentials.alertRule)
  const item = optionalText(listOrNothing(essentials.configurationItems)[0])
  const word = optionalText(essentials.severity)
  const reason = ignoredFor(condition, essentials, context)
  return {
    action: reason === null ? (condition === 'resolved' ? 'resolve' : 'fire') : 'ignore',
    reason,
    dedup_key: id ?? text(essentials.originAlertId, 'data.essentials.alertId'),
    title: `${rule ?? 'Azure Monitor alert'}${item === null ? '' : ` on ${item}`}`,
    description: descriptionOf(essentials, context),
    severity: word === null ? null : (severities.get(word.toLowerCase()) ?? null),
    source_severity: word,
    // Only metric alerts have the time of their resolution. The time of firing is not used in its
    // place: the recovery would be as old as the alert.
    occurred_at: instant(condition === 'resolved' ? essentials.resolvedDateTime : essentials.firedDateTime),
    sequence: null,
    delivery_id: null,
    labels: named(essentials, context, custom, item),
    links: addresses(essentials, context, id)
  }
}

/**
 * Returns why the event is ignored, or null. Health alerts fire once for every change, including a
 * change for the better.
 */
function ignoredFor(condition: string, essentials: Json, context: Json): string | null {
  if (condition !== 'fired' && condition !== 'resolved') return 'unknown_condition'
  const alertId = optionalText(essentials.alertId)
  if (alertId?.startsWith(TEST_SUBSCRIPTION) && optionalText(essentials.alertRule)?.startsWith('test-')) return 'test'
  if (condition === 'resolved') return null
  const properties = objectOrNothing(context.properties)
  const service = optionalText(essentials.monitoringService)?.slice(0, MAX_WORD).toLowerCase().replaceAll(' ', '')
  const stage = optionalText(properties.stage)?.toLowerCase()
  if (service === 'servicehealth' && (stage === 'resolved' || stage === 'complete' || stage === 'canceled')) return 'recovered'
  const health = optionalText(properties.currentHealthStatus)?.toLowerCase()
  return service === 'resourcehealth' && health === 'available' ? 'recovered' : null
}

/** Returns the first condition that a metric or log alert checks, or an empty object. */
const firstCondition = (context: Json): Json => objectOrNothing(listOrNothing(objectOrNothing(context.condition).allOf)[0])

function descriptionOf(essentials: Json, context: Json): string | null {
  const { metricName, metricMeasureColumn, timeAggregation, operator, threshold, metricValue } = firstCondition(context)
  const subject = optionalText(metricName) ?? optionalText(metricMeasureColumn) ?? optionalText(timeAggregation)
  const limit = [operator, threshold].map(optionalText).filter((part) => part !== null)
  const value = optionalText(metricValue)
  const check = subject === null || limit.length === 0 ? null : `${subject} ${limit.join(' ')}${value === null ? '' : ` (${value})`}`
  // Prometheus rules have annotations; health alerts have a title of their own.
  const annotations = objectOrNothing(context.annotations)
  const said =
    optionalText(annotations.description) ?? optionalText(annotations.summary) ?? optionalText(objectOrNothing(context.properties).title)
  return paragraphs(optionalText(essentials.description), said, check)
}

/**
 * The labels that the rule's author added come first, then those of a Prometheus rule and the
 * dimensions, then Azure's own values.
 */
function named(essentials: Json, context: Json, custom: Json, item: string | null): Record<string, string> {
  const dimensions = listOrNothing(firstCondition(context).dimensions).map((dimension) => {
    const { name, value } = objectOrNothing(dimension)
    return [optionalText(name) ?? '', value]
  })
  return labelsOf(custom, 'conditionType' in context ? context.properties : null, context.labels, Object.fromEntries(dimensions), {
    alert_rule: essentials.alertRule,
    monitoring_service: essentials.monitoringService,
    signal_type: essentials.signalType,
    resource_type: essentials.targetResourceType,
    resource_group: essentials.targetResourceGroup,
    resource: item,
    target: listOrNothing(essentials.alertTargetIDs)[0]
  })
}

function addresses(essentials: Json, context: Json, id: string | null): Link[] {
  const portal = 'https://portal.azure.com/#view/Microsoft_Azure_Monitoring_Alerts/AlertDetails.ReactView/alertId~/'
  return linksOf(
    link('Investigate', essentials.investigationLink),
    id?.startsWith('/subscriptions/') ? link('Azure portal', `${portal}${addressPart(id)}`) : null,
    link('Search results', searchLink(firstCondition(context)) ?? searchLink(context))
  )
}

/**
 * Returns the link to the search results. The versions of log alerts differ in capitals. Addresses
 * whose name ends in API are not for people.
 */
function searchLink(part: Json): unknown {
  let results: unknown
  for (const [name, value] of Object.entries(part)) {
    const lower = name.toLowerCase()
    if (lower === 'linktofilteredsearchresultsui') return value
    if (lower === 'linktosearchresultsui' || lower === 'linktosearchresults') results = value
  }
  return results
}
