/**
 * Amazon SNS over HTTP: proves that a message comes from the topic that the integration is pinned
 * to.
 *
 * In       a delivery and the integration's `topic_arn` and `signature_v2_only`
 * Out      null, or why it is refused
 * Source   docs/design/inbound-sources.md#s6; docs.aws.amazon.com/sns, "Verifying the signatures of
 *          Amazon SNS messages"; the rules of AWS's own validators (host: the one for JavaScript;
 *          names in the certificate: the one in the SDK for Java)
 *
 * The order of the checks: fields, topic, addresses, certificate, signature, time. Nothing is
 * fetched before the address has been checked. The trust rests on the fetch itself: by https, from
 * exactly the host of the topic's region. The PEM file there is one certificate without its chain.
 * If it holds a chain, each link must be valid.
 */
import { verify, X509Certificate } from 'node:crypto'
import { textSetting } from './proof.ts'
import { flag, flagOption, instant, objectOrNothing } from './readers.ts'
import type { Delivery, Json } from './source.ts'

/**
 * SNS retries for at most an hour, and every retry has the time of the first attempt:
 * docs.aws.amazon.com/sns, "Amazon SNS message delivery retries".
 */
const MAX_AGE_MS = 3_600_000
const AHEAD_MS = 300_000
const MAX_PEM_CHARACTERS = 65_536
const MAX_CERTIFICATES = 8
const LEAST_KEY_BITS = 2048

const RAW = 'The message has no signature: turn raw message delivery off for this subscription'

const FIELDS = ['Type', 'MessageId', 'TopicArn', 'Message', 'Timestamp', 'Signature', 'SignatureVersion', 'SigningCertURL'] as const
const CONTROL_FIELDS = ['SubscribeURL', 'Token'] as const

const SIGNED_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const
const SIGNED_CONTROL = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const

/** What signs, by Type. */
const signed: Readonly<Record<string, readonly string[]>> = {
  Notification: SIGNED_NOTIFICATION,
  SubscriptionConfirmation: SIGNED_CONTROL,
  UnsubscribeConfirmation: SIGNED_CONTROL
}

/** Only partitions whose SNS hosts match the rule below. */
export const TOPIC_ARN = '^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{3,32}):[0-9]{12}:[A-Za-z0-9_.-]{1,256}$'
const topicArn = new RegExp(TOPIC_ARN)

const snsHost = /^sns\.[a-zA-Z0-9-]{3,}\.amazonaws\.com(\.cn)?$/

interface Place {
  partition: string
  region: string
}

/** Returns why the delivery is refused, or null. Rejects when the certificate cannot be fetched. */
export async function snsFault(delivery: Delivery): Promise<string | null> {
  const { headers, received_at, settings } = delivery
  const message = objectOrNothing(delivery.body)
  if (flag(headers['x-amz-sns-rawdelivery']) || (message.Type === undefined && message.AlarmName !== undefined)) return RAW
  const missing = missingField(message)
  if (missing !== null) return missing

  const { TopicArn, Type, SigningCertURL, SubscribeURL } = message
  const pinned = textSetting(settings, 'topic_arn')
  if (pinned === null && Type !== 'SubscriptionConfirmation') return 'No topic is pinned yet: only a topic that asks to be confirmed may be'
  if (pinned !== null && TopicArn !== pinned) return 'The topic is not the one that this integration is pinned to'
  const place = placeOf(TopicArn)
  if (place === null) return 'TopicArn is not the ARN of an SNS topic'

  const address =
    certificateAddressFault(SigningCertURL, place) ??
    (Type === 'SubscriptionConfirmation' ? confirmFault(SubscribeURL, message, place) : null)
  if (address !== null) return address

  const certificate = judged(await delivery.certificate(String(SigningCertURL)), place, received_at)
  if (typeof certificate === 'string') return certificate
  return signatureFault(message, certificate, flagOption(settings, 'signature_v2_only', false)) ?? timeFault(message, received_at)
}

function missingField(message: Json): string | null {
  const { Type } = message
  if (typeof Type === 'string' && !Object.hasOwn(signed, Type)) return 'Type is none of the messages that SNS sends'
  const needed = Type === 'Notification' ? FIELDS : [...FIELDS, ...CONTROL_FIELDS]
  const missing = needed.find((name) => typeof message[name] !== 'string' || message[name] === '')
  return missing === undefined ? null : `The field ${missing} of an SNS message is missing`
}

function placeOf(arn: unknown): Place | null {
  const [, partition, region] = topicArn.exec(String(arn)) ?? []
  return partition === undefined || region === undefined ? null : { partition, region }
}

const suffix = ({ partition }: Place): string => (partition === 'aws-cn' ? '.amazonaws.com.cn' : '.amazonaws.com')

/**
 * Checks every address that will be fetched. The rule has no exceptions, and it checks the text as
 * sent, before any URL parser normalises it.
 */
function addressFault(name: string, value: unknown, place: Place): string | null {
  const text = String(value)
  if (!text.startsWith('https://')) return `${name} is not an https address`
  if (!URL.canParse(text)) return `${name} is not an address`
  const authority = text.slice('https://'.length).split(/[/?#\\]/, 1)[0] ?? ''
  if (authority.includes('@')) return `${name} holds user information`
  if (authority.includes(':')) return `${name} names a port`
  if (!snsHost.test(authority)) return `${name} is not on a host of Amazon SNS`
  if (authority !== `sns.${place.region}${suffix(place)}`) return `${name} is on a host of another region than its topic`
  return null
}

function certificateAddressFault(value: unknown, place: Place): string | null {
  const fault = addressFault('SigningCertURL', value, place)
  if (fault !== null) return fault
  return /^https:\/\/[^/?#]+\/[A-Za-z0-9._/-]+\.pem$/.test(String(value)) ? null : 'SigningCertURL does not name a .pem file'
}

function confirmFault(value: unknown, message: Json, place: Place): string | null {
  const fault = addressFault('SubscribeURL', value, place)
  if (fault !== null) return fault
  const { searchParams } = new URL(String(value))
  if (searchParams.get('Action') !== 'ConfirmSubscription') return 'SubscribeURL does not confirm a subscription'
  return searchParams.get('TopicArn') === message.TopicArn ? null : 'SubscribeURL is about another topic'
}

/**
 * The names that signing certificates have in each region, as listed in AWS's SDK for Java
 * (SnsHostProvider).
 */
const signingNames = ({ partition, region }: Place): string[] =>
  partition === 'aws-cn'
    ? [`sns-${region}.amazonaws.com.cn`, `sns.${region}.amazonaws.com.cn`, `sns-signing.${region}.amazonaws.com.cn`, 'sns.amazonaws.com.cn']
    : [
        'sns.amazonaws.com',
        `sns-signing.${region}.amazonaws.com`,
        `sns.${region}.amazonaws.com`,
        ...(partition === 'aws-us-gov' ? ['sns-us-gov-west-1.amazonaws.com'] : [])
      ]

/** Returns the signing certificate, or why it is refused. */
function judged(pem: string, place: Place, now: number): X509Certificate | string {
  const chain = certificatesIn(pem)
  const [first] = chain ?? []
  if (chain === null || first === undefined) return 'The signing certificate cannot be read'
  if (!signingNames(place).some((name) => first.checkHost(name, { wildcards: false }) !== undefined))
    return 'The signing certificate is not one of Amazon SNS for this region'
  for (const [nth, one] of chain.entries()) {
    if (now < Date.parse(one.validFrom)) return 'The signing certificate is not valid yet'
    if (now > Date.parse(one.validTo)) return 'The signing certificate has expired'
    const issuer = chain[nth + 1]
    if (issuer !== undefined && !(issuer.ca && one.checkIssued(issuer) && one.verify(issuer.publicKey)))
      return 'The chain of the signing certificate does not hold'
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = first.publicKey
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_KEY_BITS)
    return `The signing certificate has no RSA key of ${LEAST_KEY_BITS} bits`
  return first
}

function certificatesIn(pem: string): X509Certificate[] | null {
  if (pem.length > MAX_PEM_CHARACTERS) return null
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length > MAX_CERTIFICATES) return null
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return null // The caller gives the same reason for every error.
  }
}

const digests: ReadonlyMap<unknown, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256']
])

function signatureFault(message: Json, certificate: X509Certificate, v2Only: boolean): string | null {
  const algorithm = digests.get(message.SignatureVersion)
  if (algorithm === undefined) return 'SignatureVersion is neither 1 nor 2'
  if (v2Only && message.SignatureVersion !== '2') return 'This integration takes signature version 2 only: set it for the topic'
  const signature = Buffer.from(String(message.Signature), 'base64')
  return verify(algorithm, Buffer.from(canonical(message)), certificate.publicKey, signature) ? null : 'The signature does not match'
}

/**
 * Returns the text that is signed: name and value of the fields that are present, each on a line of
 * its own.
 */
export function canonical(message: Json): string {
  let text = ''
  for (const name of signed[String(message.Type)] ?? []) {
    const value = message[name]
    if (typeof value === 'string') text += `${name}\n${value}\n`
  }
  return text
}

/**
 * Refuses an old message, so that nobody can store it and send it again later. Within the hour, its
 * MessageId identifies a repeat.
 */
function timeFault(message: Json, now: number): string | null {
  const at = instant(message.Timestamp)
  if (at === null) return 'Timestamp is not a time'
  if (at < now - MAX_AGE_MS) return 'The message is older than an hour'
  return at > now + AHEAD_MS ? 'The message is from the future' : null
}
