/**
 * Amazon SNS: publishes the JSON of the generic webhook to all subscribers of a topic.
 * Source: docs/design/outbound-channels.md#s3-23.
 */
import { Type } from 'typebox'
import { awsHeaders } from '../aws-signature.ts'
import type { Channel, ConfigFault, HttpRequest, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, field, secretField } from '../config.ts'
import { baseUrl, deadChannel, judge, later, lost } from '../judging.ts'
import { severityOf, titleOf } from '../words.ts'
import { eventName, webhookBody } from './webhook.ts'

type Config = { topic_arn: string; access_key: string; secret_key: string; region?: string }

const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):(\d{12}):([A-Za-z0-9_-]{1,256}(?:\.fifo)?)$/
const MAX_SUBJECT = 99
const TYPE = 'application/x-www-form-urlencoded; charset=utf-8'
/** AWS accepts a request that is at most 15 minutes old. */
const MAX_SKEW_MS = 300_000

/** The access key lacks the right, or the topic is gone. */
const DEAD: Readonly<Record<string, string>> = {
  NotFound: 'There is no such topic any more.',
  AuthorizationError: 'The access key may not publish to this topic. Give it sns:Publish.',
  InvalidClientTokenId: 'AWS knows no such access key.',
  SignatureDoesNotMatch: 'The secret key does not belong to the access key.',
  EndpointDisabled: 'The topic is disabled.',
  KMSAccessDenied: 'The access key may not use the key that encrypts the topic.',
  KMSDisabled: 'The key that encrypts the topic is disabled.',
  KMSNotFound: 'The key that encrypts the topic is gone.',
  KMSOptInRequired: 'The account has no KMS for the topic.'
}
const LATER = new Set([
  'Throttling',
  'ThrottlingException',
  'KMSThrottling',
  'InternalError',
  'InternalFailure',
  'RequestExpired',
  'ServiceUnavailable'
])

/**
 * Plain ASCII, as a mail subject needs it. Letters lose their accents, and other characters become
 * `?`.
 */
function subjectOf(message: Message): string {
  const ascii = titleOf(message)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/gu, '?')
  return ascii.length <= MAX_SUBJECT ? ascii : `${ascii.slice(0, MAX_SUBJECT - 3).trimEnd()}...`
}

/** Subscribers who read it as a mail see the title first. */
const textOf = (message: Message, event: string): string =>
  `{"title":${JSON.stringify(titleOf(message))},${webhookBody(message, event).slice(1)}`

function form(message: Message, event: string, topic_arn: string): string {
  const attribute = (nth: number, name: string, value: string): [string, string][] => [
    [`MessageAttributes.entry.${nth}.Name`, name],
    [`MessageAttributes.entry.${nth}.Value.DataType`, 'String'],
    [`MessageAttributes.entry.${nth}.Value.StringValue`, value]
  ]
  return new URLSearchParams([
    ['Action', 'Publish'],
    ['Version', '2010-03-31'],
    ['TopicArn', topic_arn],
    ['Subject', subjectOf(message)],
    ['Message', textOf(message, event)],
    ...attribute(1, 'event', event),
    ...attribute(2, 'severity', message.event === 'up' ? 'info' : severityOf(message)),
    ...(topic_arn.endsWith('.fifo')
      ? ([
          ['MessageGroupId', message.key],
          ['MessageDeduplicationId', message.delivery_id]
        ] satisfies [string, string][])
      : [])
  ]).toString()
}

function addressOf(topic_arn: string, context: SendContext): { url: string; region: string } {
  const [, partition, region = ''] = ARN.exec(topic_arn) ?? []
  const vendor = `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  return { url: `${baseUrl('sns', vendor, context)}/`, region }
}

function request(body: string, { topic_arn, access_key, secret_key }: Config, context: SendContext): HttpRequest {
  const { url, region } = addressOf(topic_arn, context)
  const signed = awsHeaders(
    { access_key, secret_key, region, service: 'sns' },
    { host: new URL(url).host, type: TYPE, body, now: context.now }
  )
  return {
    via: 'http',
    method: 'POST',
    url,
    headers: { 'content-type': TYPE, accept: 'application/xml', 'user-agent': context.deployment.user_agent, ...signed },
    body,
    secrets: [secret_key],
    guarded: false
  }
}

const tagIn = ({ body }: SendReply, name: string): string | null => new RegExp(`<${name}>([^<]+)</${name}>`).exec(body)?.[1] ?? null

/**
 * AWS also refuses a signature when the clock of this machine is wrong. Then the fault is the
 * deployment's.
 */
function isSkewed({ headers }: SendReply, now: number): boolean {
  const theirs = Date.parse(headers.date ?? '')
  return !Number.isNaN(theirs) && Math.abs(theirs - now) > MAX_SKEW_MS
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  if (reply.status === 200) {
    const id = tagIn(reply, 'MessageId')
    return id === null ? judge(reply, context) : { outcome: 'delivered', provider_message_id: id }
  }
  const code = tagIn(reply, 'Code') ?? ''
  if (code === 'SignatureDoesNotMatch' && isSkewed(reply, context.now))
    return { outcome: 'retry', why: 'the clock of this service is wrong', after_ms: MAX_SKEW_MS, operator: true }
  if (LATER.has(code)) return later(reply, context.now)
  const dead = DEAD[code]
  if (dead !== undefined) return deadChannel(reply, dead)
  return reply.status === 400 ? lost(reply, 'SNS refused this message.') : judge(reply, context)
}

function check({ topic_arn, region }: Config): ConfigFault | null {
  const known = topic_arn === undefined ? null : ARN.exec(topic_arn)
  if (topic_arn !== undefined && known === null)
    return { path: 'topic_arn', rule: 'format', message: 'must look like arn:aws:sns:eu-central-1:123456789012:alerts' }
  return region === undefined || known === null || known[2] === region
    ? null
    : { path: 'region', rule: 'format', message: `must be ${known[2]}, as the topic has it` }
}

export const channel: Channel<Config> = {
  kind: 'sns',
  name: 'Amazon SNS',
  hint: 'The ARN of a topic, and an access key that may publish to it.',
  family: 'topic',
  config: Type.Object(
    {
      topic_arn: field({ title: 'Topic ARN', description: 'As arn:aws:sns:eu-central-1:123456789012:alerts.', maxLength: 320 }),
      access_key: field({
        title: 'Access key ID',
        description: 'Begins with AKIA. Temporary keys, which begin with ASIA, do not work.',
        pattern: '^AKIA[A-Z0-9]{12,28}$',
        maxLength: 32
      }),
      secret_key: secretField({
        title: 'Secret access key',
        description: '40 characters.',
        pattern: '^[A-Za-z0-9/+=]{40}$',
        maxLength: 40
      }),
      region: Type.Optional(field({ title: 'Region', description: 'Follows from the ARN.', maxLength: 40 }))
    },
    closed
  ),
  fields: [{ name: 'topic_arn' }, { name: 'access_key' }, { name: 'secret_key', secret: true }, { name: 'region' }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'both',
  max_ambiguous: null,
  verified: false,
  check,
  target: ({ topic_arn }) =>
    topic_arn
      .split(':')
      .slice(3)
      .join(':')
      .replace(/^([^:]+):\d+:/, '$1: '),
  *steps(message, settings, _ref, context) {
    const event = eventName(message)
    if (event === null) return { outcome: 'skipped', why: 'no_event' }
    return judged(yield request(form(message, event, settings.topic_arn), settings, context), context)
  }
}
