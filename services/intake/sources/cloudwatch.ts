/**
 * Amazon CloudWatch alarms through an SNS topic: the alarm is JSON inside the message. sns.ts
 * checks the proof of the message.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s6. Samples:
 * test/fixtures/sources/cloudwatch/
 */
import type { Link } from '../../../schemas/generated/events.ts'
import {
  addressPart,
  ignored,
  innerJson,
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  objectOrNothing,
  optionalText,
  paragraphs,
  severityOf,
  single,
  text
} from '../readers.ts'
import { snsFault, TOPIC_ARN } from '../sns.ts'
import { type Control, type Json, type SequencedEvent, type Source, Unparseable } from '../source.ts'
import { incomingUrl, quoted, usualWords } from '../source-text.ts'

const alarmSample = {
  AlarmName: 'orders-5xx',
  AlarmDescription: '5xx above 20',
  AWSAccountId: '111122223333',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed: 1 datapoint [41.0] was greater than the threshold (20.0).',
  StateChangeTime: '2026-10-05T12:00:01.730+0000',
  Region: 'EU (Ireland)',
  AlarmArn: 'arn:aws:cloudwatch:eu-west-1:111122223333:alarm:orders-5xx',
  OldStateValue: 'OK',
  Trigger: {
    MetricName: 'HTTPCode_Target_5XX_Count',
    Namespace: 'AWS/ApplicationELB',
    Dimensions: [{ value: 'app/orders/1', name: 'LoadBalancer' }]
  }
}

export const source: Source = {
  kind: 'cloudwatch',
  about: {
    name: 'Amazon CloudWatch',
    description:
      'CloudWatch alarms through an SNS topic, whose signature is checked and whose ARN is pinned. Name the topic in the alarm actions and in the OK actions of each alarm, or nothing resolves.',
    severity_map: usualWords,
    resolves_when: 'The alarm goes to state OK. INSUFFICIENT_DATA changes nothing.',
    sample: {
      Type: 'Notification',
      MessageId: 'b3a10c52-0001-4a3c-9d1e-0a0a0a0a0a0a',
      TopicArn: 'arn:aws:sns:eu-west-1:111122223333:alarms',
      Subject: 'ALARM: "orders-5xx" in EU (Ireland)',
      Message: JSON.stringify(alarmSample),
      Timestamp: '2026-10-05T12:00:01.790Z',
      SignatureVersion: '2',
      Signature: 'made by SNS',
      SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
      UnsubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe'
    },
    instructions: (publicUrl, token) => [
      {
        title: 'Topic, subscription and alarm',
        language: 'shell',
        text: `TOPIC=$(aws sns create-topic --name alarms --query TopicArn --output text)
aws sns set-topic-attributes --topic-arn "$TOPIC" --attribute-name SignatureVersion --attribute-value 2
# The subscription is confirmed from here. Leave raw message delivery off.
aws sns subscribe --topic-arn "$TOPIC" --protocol https --notification-endpoint ${quoted(incomingUrl(publicUrl, token))}
# For each alarm both kinds of actions, next to its other parameters:
#   aws cloudwatch put-metric-alarm ... --alarm-actions "$TOPIC" --ok-actions "$TOPIC"
`
      },
      {
        title: 'Try it',
        language: 'shell',
        text: `# Only SNS can sign, so the test goes through an alarm of yours. It returns to its own state at its next evaluation.
aws cloudwatch set-alarm-state --alarm-name YOUR_ALARM --state-value ALARM --state-reason 'A test'
`
      }
    ]
  },
  default_severity: 'critical',
  headers: ['x-amz-sns-rawdelivery'],
  verify: {
    always: true,
    settings: {
      topic_arn: {
        type: 'text',
        secret: false,
        pattern: TOPIC_ARN,
        description:
          'The only topic that is listened to. Where it is not set, the first topic that proves itself and asks to be confirmed becomes it.'
      },
      signature_v2_only: {
        type: 'boolean',
        default: false,
        description: 'Refuse signatures of version 1, which are made with SHA-1. Set SignatureVersion 2 for the topic first.'
      }
    },
    check: snsFault
  },
  control(body): Control | null {
    const { Type, TopicArn, SubscribeURL } = single(body)
    if (Type === 'SubscriptionConfirmation')
      return { kind: 'subscribe', topic_arn: text(TopicArn, 'TopicArn'), confirm_url: text(SubscribeURL, 'SubscribeURL') }
    // The SubscribeURL of this message would subscribe again, so it is not passed on.
    return Type === 'UnsubscribeConfirmation' ? { kind: 'unsubscribed', topic_arn: text(TopicArn, 'TopicArn') } : null
  },
  sequence: 'position',
  parse({ body }) {
    const envelope = single(body)
    const type = text(envelope.Type, 'Type')
    if (type !== 'Notification') {
      if (type === 'SubscriptionConfirmation' || type === 'UnsubscribeConfirmation') return [ignored('subscription')]
      throw new Unparseable({ path: 'Type', rule: 'enum', message: 'expected a message of Amazon SNS' })
    }
    return [toEvent(envelope, objectOrNothing(innerJson(text(envelope.Message, 'Message'))))]
  }
}

const actions: ReadonlyMap<string, SequencedEvent['action']> = new Map([
  ['ALARM', 'fire'],
  ['OK', 'resolve']
])

function toEvent(envelope: Json, alarm: Json): SequencedEvent {
  const delivery_id = optionalText(envelope.MessageId)
  const state = optionalText(alarm.NewStateValue)?.toUpperCase()
  const arn = optionalText(alarm.AlarmArn)
  const alarmName = optionalText(alarm.AlarmName)
  // Anything may be published to a topic, such as budgets or a hand-written text.
  if (state === undefined || (arn === null && alarmName === null)) return ignored('no_alarm', delivery_id ?? '')
  const key = keyOf(alarm, arn, alarmName)
  const action = actions.get(state)
  if (action === undefined) return ignored(state === 'INSUFFICIENT_DATA' ? 'insufficient_data' : 'unknown_state', key)
  const changed = instant(alarm.StateChangeTime)
  const description = optionalText(alarm.AlarmDescription)
  const word = severityWord(description)
  const [, partition, , region = null] = arn?.split(':') ?? []
  return {
    action,
    reason: null,
    dedup_key: key,
    // The name of an alarm may contain colons.
    title: alarmName ?? (arn?.split(':').slice(6).join(':') || key),
    description: paragraphs(description, optionalText(alarm.NewStateReason)),
    severity: severityOf(word),
    source_severity: word,
    occurred_at: changed ?? instant(envelope.Timestamp),
    sequence: changed,
    delivery_id,
    labels: named(alarm, region),
    links: addresses(partition, region, alarmName)
  }
}

/**
 * Returns the dedup key. An alarm over many time series reports each of them ("contributor")
 * separately.
 */
function keyOf(alarm: Json, arn: string | null, name: string | null): string {
  const key = arn ?? [alarm.AWSAccountId, alarm.Region, name].map((part) => optionalText(part) ?? '').join('|')
  const contributor = contributorOf(alarm)
  return contributor === null ? key : `${key}|${contributor}`
}

/**
 * The name of this field is not documented for notifications. The API calls it ContributorId, and
 * the history calls it AlarmContributorId.
 */
function contributorOf(alarm: Json): string | null {
  for (const [name, value] of Object.entries(alarm)) {
    if (!/contributor/i.test(name)) continue
    const inner = Object.entries(objectOrNothing(value)).find(([field]) => /^(?:alarm)?(?:contributor)?id$/i.test(field))
    const found = inner ? optionalText(inner[1]) : /id$/i.test(name) ? optionalText(value) : null
    if (found !== null) return found
  }
  return null
}

const MAX_SEARCHED = 4096

/**
 * CloudWatch has no severity. A word in the alarm's description may give one: `severity: warning`,
 * `[P3]`.
 */
function severityWord(description: string | null): string | null {
  const start = description?.slice(0, MAX_SEARCHED) ?? ''
  const word = /\bseverity *[:=] *([a-z0-9]+)/i.exec(start)?.[1] ?? /\[(p[1-5]|sev[0-4])\]/i.exec(start)?.[1] ?? null
  return severityOf(word) === null ? null : word
}

/**
 * An alarm on a calculation has no metric of its own, so the first metric in the calculation is
 * used.
 */
function named(alarm: Json, region: string | null): Record<string, string> {
  const trigger = objectOrNothing(alarm.Trigger)
  const stats = listOrNothing(trigger.Metrics).map((metric) => objectOrNothing(objectOrNothing(objectOrNothing(metric).MetricStat).Metric))
  const metric = trigger.MetricName === undefined ? (stats.find(({ MetricName }) => MetricName !== undefined) ?? trigger) : trigger
  const dimensions = listOrNothing(metric.Dimensions).map((dimension) => {
    const { name, value } = objectOrNothing(dimension)
    return [optionalText(name) ?? '', value]
  })
  return labelsOf(Object.fromEntries(dimensions), {
    alarm: alarm.AlarmName,
    account: alarm.AWSAccountId,
    region: region ?? alarm.Region,
    namespace: metric.Namespace,
    metric: metric.MetricName
  })
}

const consoles: ReadonlyMap<string | undefined, string> = new Map([
  ['aws', 'console.aws.amazon.com'],
  ['aws-cn', 'console.amazonaws.cn'],
  ['aws-us-gov', 'console.amazonaws-us-gov.com']
])

function addresses(partition: string | undefined, region: string | null, name: string | null): Link[] {
  const host = consoles.get(partition)
  if (host === undefined || name === null || region === null || !/^[a-z0-9-]+$/.test(region)) return []
  return linksOf(link('CloudWatch', `https://${region}.${host}/cloudwatch/home?region=${region}#alarmsV2:alarm/${addressPart(name)}`))
}
