/**
 * Tests of the proof of Amazon SNS messages, with a certificate chain made here and a loader
 * instead of the fetch. The rule for hosts is the real one. Each refusal is checked by name. A
 * message that is refused before its certificate is checked must not cause a fetch.
 */

import { execFileSync } from 'node:child_process'
import { sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { decode } from '../../../services/intake/body.ts'
import type { Get } from '../../../services/intake/doors/guarded-get.ts'
import { canonical } from '../../../services/intake/sns.ts'
import type { Json, SequencedEvent } from '../../../services/intake/source.ts'
import { source } from '../../../services/intake/sources/cloudwatch.ts'
import { createPool, tenantTransaction } from '../../../services/store/pool.ts'
import { testConfig } from '../../harness/engines.ts'
import { makeWorkspace } from '../../harness/product.ts'
import { integration } from './credential.ts'
import { PATH, stand } from './stand.ts'

const folder = mkdtempSync(join(tmpdir(), 'sns-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })

interface Signer {
  key: string
  pem: string
}

/** Makes a certificate authority with this name. */
function authority(name: string): Signer {
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    at(`${name}.key`),
    '-out',
    at(`${name}.pem`),
    '-subj',
    `/O=Test/CN=${name}`,
    '-days',
    '30'
  )
  return { key: readFileSync(at(`${name}.key`), 'utf8'), pem: readFileSync(at(`${name}.pem`), 'utf8') }
}

/** Makes a certificate for a host, signed by an authority made before. */
function certificate(host: string, by: string, key = 'rsa:2048'): Signer {
  const name = `${host}-${by}-${key.replace(':', '')}`
  const asked = key === 'ec' ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] : ['-newkey', key]
  writeFileSync(at('extensions'), `subjectAltName=DNS:${host}\nbasicConstraints=critical,CA:FALSE\n`)
  openssl('req', '-new', ...asked, '-nodes', '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${host}`)
  openssl(
    ...['x509', '-req', '-in', at(`${name}.csr`), '-CA', at(`${by}.pem`), '-CAkey', at(`${by}.key`), '-CAcreateserial'],
    ...['-days', '30', '-out', at(`${name}.pem`), '-extfile', at('extensions')]
  )
  return { key: readFileSync(at(`${name}.key`), 'utf8'), pem: readFileSync(at(`${name}.pem`), 'utf8') }
}

const root = authority('root')
const stranger = authority('stranger')
const amazon = certificate('sns.amazonaws.com', 'root')
const forged = certificate('sns.evil.test', 'root')
const weak = certificate('sns.amazonaws.com', 'root', 'rsa:1024')
const elliptic = certificate('sns.amazonaws.com', 'root', 'ec')
/** Names in the certificates, by the topic's partition and region. */
const regional = [
  { partition: 'aws', region: 'eu-south-1', name: 'sns-signing.eu-south-1.amazonaws.com' },
  { partition: 'aws-us-gov', region: 'us-gov-east-1', name: 'sns-us-gov-west-1.amazonaws.com' },
  { partition: 'aws-cn', region: 'cn-north-1', name: 'sns-cn-north-1.amazonaws.com.cn' }
].map((place) => ({ ...place, signer: certificate(place.name, 'root') }))

/** Taken after all certificates were made; they are checked at this time. */
const now = Date.now()
const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:alarms'
const HOST = 'https://sns.eu-west-1.amazonaws.com'
const CERTIFICATE = `${HOST}/SimpleNotificationService-0123456789abcdef.pem`
const RAW = 'The message has no signature: turn raw message delivery off for this subscription'

const alarm = {
  AlarmName: 'orders-5xx',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold crossed:\n"41" > 20 \u00e4\u20ac\u{1f4a5}',
  StateChangeTime: new Date(now).toISOString(),
  AlarmArn: 'arn:aws:cloudwatch:eu-west-1:111122223333:alarm:orders-5xx'
}

const notification: Json = {
  Type: 'Notification',
  MessageId: 'b3a10c52-0001-4a3c-9d1e-0a0a0a0a0a0a',
  TopicArn: TOPIC,
  Subject: 'ALARM: "orders-5xx" in EU (Ireland)',
  Message: JSON.stringify(alarm),
  Timestamp: new Date(now - 1000).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE,
  UnsubscribeURL: `${HOST}/?Action=Unsubscribe`
}

const control: Json = {
  Type: 'SubscriptionConfirmation',
  MessageId: '6f0d1c7e-0001-4a3c-9d1e-0a0a0a0a0a0a',
  Token: '2336412f37f',
  TopicArn: TOPIC,
  Message: 'You have chosen to subscribe to the topic',
  SubscribeURL: `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37f`,
  Timestamp: new Date(now - 1000).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE
}

/**
 * Returns the text that SNS signs. It is spelled out for each kind of message, not taken from the
 * code under test.
 */
function signedText(message: Json): string {
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  return names
    .flatMap((name) => (typeof message[name] === 'string' ? [name, message[name]] : []))
    .map((line) => `${line}\n`)
    .join('')
}

const signedBy = (message: Json, key = amazon.key): Json => ({
  ...message,
  Signature: sign(message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256', Buffer.from(signedText(message)), key).toString('base64')
})

interface Given {
  settings?: Json
  headers?: Record<string, string>
  received_at?: number
  pem?: string
}

const pinned: Json = { topic_arn: TOPIC }

/**
 * Returns the result of the proof for a message as it comes over the wire, and the addresses that
 * were fetched.
 */
async function proof(message: Json, given: Given = {}): Promise<{ reason: string | null; fetched: string[] }> {
  const fetched: string[] = []
  const bytes = Buffer.from(JSON.stringify(message))
  const reason = await source.verify?.check({
    bytes,
    body: decode(bytes).body,
    headers: given.headers ?? {},
    received_at: given.received_at ?? now,
    settings: given.settings ?? pinned,
    certificate: async (url) => {
      fetched.push(url)
      return given.pem ?? amazon.pem
    }
  })
  return { reason: reason ?? null, fetched }
}

const proven = { reason: null, fetched: [CERTIFICATE] }

t.test('a proof is always required', async (t) => {
  t.equal(source.verify?.always, true)
})

t.test('a signed message of the pinned topic is accepted', async (t) => {
  t.same(await proof(signedBy(notification)), proven, 'version 2, SHA-256')
  t.same(await proof(signedBy({ ...notification, SignatureVersion: '1' })), proven, 'version 1, SHA-1')
  const { Subject: _, ...withoutSubject } = notification
  t.same(await proof(signedBy(withoutSubject)), proven, 'no Subject')
  t.same(await proof(signedBy({ ...notification, Subject: null })), proven, 'a Subject of null is not signed')
  t.same(await proof(signedBy({ ...notification, Subject: 'a\nb\u0000\u{1f4a5}' })), proven, 'a Subject of several lines')
  t.same(await proof(signedBy(control)), proven, 'a confirmation of the pinned topic')
  t.same(await proof(signedBy({ ...control, Type: 'UnsubscribeConfirmation' })), proven, 'the end of a subscription')
  t.same(
    await proof(signedBy(notification), { settings: { ...pinned, signature_v2_only: true } }),
    proven,
    'version 2 where only that is taken'
  )
  t.same(await proof(signedBy(notification), { pem: `${amazon.pem}${root.pem}` }), proven, 'a PEM with its chain')
})

t.test('a signed body with a byte order mark is decoded and fires the alarm', async (t) => {
  const bytes = Buffer.from(`\ufeff${JSON.stringify(signedBy(notification))}`)
  const { body } = decode(bytes)
  t.equal((await proof(body as Json)).reason, null)
  const events: SequencedEvent[] = source.parse({ body, headers: {}, received_at: now, options: {}, warn: () => undefined })
  t.match(events, [{ action: 'fire', dedup_key: alarm.AlarmArn, title: 'orders-5xx', delivery_id: notification.MessageId }])
})

t.test('only a proven confirmation may pin a topic', async (t) => {
  const settings = {}
  t.same(await proof(signedBy(control), { settings }), proven)
  t.same(source.control?.(signedBy(control)), { kind: 'subscribe', topic_arn: TOPIC, confirm_url: control.SubscribeURL })
  const unpinned = { reason: 'No topic is pinned yet: only a topic that asks to be confirmed may be', fetched: [] }
  t.same(await proof(signedBy(notification), { settings }), unpinned)
  t.same(await proof(signedBy({ ...control, Type: 'UnsubscribeConfirmation' }), { settings }), unpinned)
  t.same(await proof({ ...control, Signature: signedBy(control, stranger.key).Signature }, { settings }), {
    reason: 'The signature does not match',
    fetched: [CERTIFICATE]
  })
})

t.test('control recognizes a notification and an unsubscribe confirmation', async (t) => {
  t.equal(source.control?.(notification), null)
  t.same(
    source.control?.({ ...control, Type: 'UnsubscribeConfirmation' }),
    { kind: 'unsubscribed', topic_arn: TOPIC },
    'without an address to visit'
  )
})

t.test('messages that are refused before anything is fetched', async (t) => {
  const url = (SigningCertURL: string): Json => signedBy({ ...notification, SigningCertURL })
  const confirm = (SubscribeURL: string): Json => signedBy({ ...control, SubscribeURL })
  const without = (name: string): Json => Object.fromEntries(Object.entries(signedBy(control)).filter(([one]) => one !== name))
  const query = `?Action=ConfirmSubscription&TopicArn=${TOPIC}`
  const cases: [string, Json, string, Given?][] = [
    ['raw delivery by its header', alarm, RAW, { headers: { 'x-amz-sns-rawdelivery': 'true' } }],
    ['raw delivery by its shape', alarm, RAW],
    ['no message of SNS at all', { title: 'x' }, 'The field Type of an SNS message is missing'],
    ['another type', { ...notification, Type: 'constructor' }, 'Type is none of the messages that SNS sends'],
    ['no Signature', notification, 'The field Signature of an SNS message is missing'],
    ['an empty SigningCertURL', url(''), 'The field SigningCertURL of an SNS message is missing'],
    ...['MessageId', 'TopicArn', 'Message', 'Timestamp', 'SignatureVersion', 'SubscribeURL', 'Token'].map(
      (name): [string, Json, string] => [`no ${name}`, without(name), `The field ${name} of an SNS message is missing`]
    ),
    ['another topic', signedBy({ ...notification, TopicArn: `${TOPIC}2` }), 'The topic is not the one that this integration is pinned to'],
    [
      'a confirmation of another topic',
      signedBy({ ...control, TopicArn: `${TOPIC}2` }),
      'The topic is not the one that this integration is pinned to'
    ],
    ['no ARN', signedBy({ ...control, TopicArn: 'alarms' }), 'TopicArn is not the ARN of an SNS topic', { settings: {} }],
    ['a forged host', url('https://sns.evil.test/x.pem'), 'SigningCertURL is not on a host of Amazon SNS'],
    ['a forged end', url('https://sns.us-east-1.amazonaws.com.evil.test/x.pem'), 'SigningCertURL is not on a host of Amazon SNS'],
    ['a bucket', url('https://s3.eu-west-1.amazonaws.com/x.pem'), 'SigningCertURL is not on a host of Amazon SNS'],
    ['a host below', url('https://sns.x.eu-west-1.amazonaws.com/x.pem'), 'SigningCertURL is not on a host of Amazon SNS'],
    ['letters that look alike', url('https://sns.eu-west-1.\uff41mazonaws.com/x.pem'), 'SigningCertURL is not on a host of Amazon SNS'],
    ['a backslash', url('https://sns.evil.test\\.eu-west-1.amazonaws.com/x.pem'), 'SigningCertURL is not on a host of Amazon SNS'],
    ['a port', url(`${HOST}:8443/x.pem`), 'SigningCertURL names a port'],
    ['the usual port', url(`${HOST}:443/x.pem`), 'SigningCertURL names a port'],
    ['user information', url('https://sns.eu-west-1.amazonaws.com@evil.test/x.pem'), 'SigningCertURL holds user information'],
    ['a user', url('https://a@sns.eu-west-1.amazonaws.com/x.pem'), 'SigningCertURL holds user information'],
    ['http', url('http://sns.eu-west-1.amazonaws.com/x.pem'), 'SigningCertURL is not an https address'],
    ['another scheme', url('file:///etc/x.pem'), 'SigningCertURL is not an https address'],
    ['no address', url('https://'), 'SigningCertURL is not an address'],
    ['another region', url('https://sns.us-east-1.amazonaws.com/x.pem'), 'SigningCertURL is on a host of another region than its topic'],
    ['another partition', url(`${HOST}.cn/x.pem`), 'SigningCertURL is on a host of another region than its topic'],
    ['no .pem', url(`${HOST}/x.txt`), 'SigningCertURL does not name a .pem file'],
    ['a .pem in the query', url(`${HOST}/?x=.pem`), 'SigningCertURL does not name a .pem file'],
    ['a forged SubscribeURL', confirm(`https://sns.evil.test/${query}`), 'SubscribeURL is not on a host of Amazon SNS'],
    [
      'a SubscribeURL elsewhere',
      confirm(`https://sns.us-east-1.amazonaws.com/${query}`),
      'SubscribeURL is on a host of another region than its topic'
    ],
    ['another action', confirm(`${HOST}/?Action=DeleteTopic&TopicArn=${TOPIC}`), 'SubscribeURL does not confirm a subscription'],
    ['a SubscribeURL of another topic', confirm(`${HOST}/${query}2`), 'SubscribeURL is about another topic']
  ]
  for (const [name, message, reason, given] of cases) t.same(await proof(message, given), { reason, fetched: [] }, name)
})

t.test('messages that are refused for their certificate, signature or time', async (t) => {
  const DAY = 86_400_000
  /** Signed for the time at which the certificate is checked. */
  const when = (received_at: number): [Json, Given] => [
    signedBy({ ...notification, Timestamp: new Date(received_at).toISOString() }),
    { received_at }
  ]
  const signedMessage = signedBy(notification)
  const sent = (ms: number): Json => signedBy({ ...notification, Timestamp: new Date(now + ms).toISOString() })
  const cases: [string, Json, string, Given?][] = [
    ['an expired certificate', ...swap(when(now + 31 * DAY), 'The signing certificate has expired')],
    ['one that is not valid yet', ...swap(when(now - 2 * DAY), 'The signing certificate is not valid yet')],
    ['no PEM', signedMessage, 'The signing certificate cannot be read', { pem: '<html>not found</html>' }],
    ['an empty PEM', signedMessage, 'The signing certificate cannot be read', { pem: '' }],
    ['a broken PEM', signedMessage, 'The signing certificate cannot be read', { pem: amazon.pem.replace(/\n[A-Za-z0-9+/]{64}/, '\nAAAA') }],
    ['a huge PEM', signedMessage, 'The signing certificate cannot be read', { pem: `${amazon.pem}${' '.repeat(65_536)}` }],
    [
      'a certificate of someone else',
      signedBy(notification, forged.key),
      'The signing certificate is not one of Amazon SNS for this region',
      { pem: forged.pem }
    ],
    [
      'a chain that does not hold',
      signedMessage,
      'The chain of the signing certificate does not hold',
      { pem: `${amazon.pem}${stranger.pem}` }
    ],
    [
      'a chain through no authority',
      signedMessage,
      'The chain of the signing certificate does not hold',
      { pem: `${amazon.pem}${forged.pem}` }
    ],
    ['a short key', signedBy(notification, weak.key), 'The signing certificate has no RSA key of 2048 bits', { pem: weak.pem }],
    ['another kind of key', signedMessage, 'The signing certificate has no RSA key of 2048 bits', { pem: elliptic.pem }],
    ['a signature of another key', signedBy(notification, stranger.key), 'The signature does not match'],
    ['no base64', { ...signedMessage, Signature: '!' }, 'The signature does not match'],
    ...['Message', 'MessageId', 'Subject', 'Timestamp'].map((name): [string, Json, string] => [
      `another ${name}`,
      { ...signedMessage, [name]: `${signedMessage[name]} ` },
      'The signature does not match'
    ]),
    ['a Subject that was not signed', { ...signedBy({ ...notification, Subject: null }), Subject: 'x' }, 'The signature does not match'],
    ['another SubscribeURL', { ...signedBy(control), SubscribeURL: `${control.SubscribeURL}&x=1` }, 'The signature does not match'],
    ['another Token', { ...signedBy(control), Token: 'x' }, 'The signature does not match'],
    ['the digest of the other version', { ...signedMessage, SignatureVersion: '1' }, 'The signature does not match'],
    ['another version', { ...signedMessage, SignatureVersion: '3' }, 'SignatureVersion is neither 1 nor 2'],
    [
      'version 1 where it is not taken',
      signedBy({ ...notification, SignatureVersion: '1' }),
      'This integration takes signature version 2 only: set it for the topic',
      { settings: { ...pinned, signature_v2_only: true } }
    ],
    ['a replay', sent(-3_600_001), 'The message is older than an hour'],
    ['a time ahead', sent(300_001), 'The message is from the future'],
    ['no time', signedBy({ ...notification, Timestamp: 'now' }), 'Timestamp is not a time']
  ]
  for (const [name, message, reason, given] of cases) t.same(await proof(message, given), { reason, fetched: [CERTIFICATE] }, name)
  t.equal((await proof(sent(-3_600_000))).reason, null, 'the last try of SNS')
  t.equal((await proof(sent(300_000))).reason, null, 'a clock that is a little ahead')
})

const swap = ([message, given]: [Json, Given], reason: string): [Json, string, Given] => [message, reason, given]

t.test('the expected names in the certificate follow the region', async (t) => {
  for (const { partition, region, name, signer } of regional) {
    const topic_arn = `arn:${partition}:sns:${region}:111122223333:alarms`
    const url = `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/x.pem`
    const message = signedBy({ ...notification, TopicArn: topic_arn, SigningCertURL: url }, signer.key)
    t.same(await proof(message, { settings: { topic_arn }, pem: signer.pem }), { reason: null, fetched: [url] }, name)
    t.equal(
      (await proof(signedBy(notification, signer.key), { pem: signer.pem })).reason,
      'The signing certificate is not one of Amazon SNS for this region'
    )
  }
})

t.test('a certificate that cannot be fetched is an error, not a refusal of the sender', async (t) => {
  const bytes = Buffer.from(JSON.stringify(signedBy(notification)))
  const { body } = decode(bytes)
  const certificate = (): Promise<string> => Promise.reject(new Error('connect timed out'))
  await t.rejects(async () => source.verify?.check({ bytes, body, headers: {}, received_at: now, settings: pinned, certificate }), {
    message: 'connect timed out'
  })
})

t.test('the signed text holds name and value of each field that is present', async (t) => {
  t.equal(
    canonical({ Type: 'Notification', MessageId: '1', Message: 'm', Timestamp: 'x', TopicArn: 'a', Token: 'no' }),
    'Message\nm\nMessageId\n1\nTimestamp\nx\nTopicArn\na\nType\nNotification\n'
  )
})

t.test('a topic is confirmed and pinned, then its alarm reaches the log', async (t) => {
  const config = await testConfig(t)
  const system = createPool(config.postgresSystemUrl, { application_name: 'test', max: 1 })
  const pool = createPool(config.postgresTenantUrl, { application_name: 'test', max: 2 })
  t.teardown(() => Promise.all([system.end(), pool.end()]))
  const { tenant_id, integration_id } = await makeWorkspace(system, 'sns', 'generic')
  const settings = async (): Promise<Json> =>
    (await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => tx.query('SELECT verify FROM integrations'))).rows[0]?.verify
  const visited: string[] = []
  const get: Get = async (url) => {
    visited.push(url)
    return { status: 200, body: Buffer.from(url === CERTIFICATE ? amazon.pem : '<ConfirmSubscriptionResponse/>') }
  }
  let verify: Json = {}
  const { post, alerts } = await stand(t, {
    get,
    pool,
    check: () => integration({ tenant_id, integration_id, source_type: 'cloudwatch', verify })
  })
  const send = (message: Json) => post(PATH, JSON.stringify(message), { 'content-type': 'text/plain; charset=UTF-8' })

  t.match(await send(signedBy(notification)), { status: 403, body: { code: 'SIGNATURE_INVALID', error: /^No topic is pinned/ } })
  t.match(await send(signedBy(control, stranger.key)), { status: 403, body: { error: 'The signature does not match' } })
  t.same(await settings(), {}, 'what is not proven pins nothing')
  t.same(visited, [CERTIFICATE], 'nor is it answered')

  t.match(await send(signedBy(control)), { status: 200, body: { status: 'accepted', processed: 0 } })
  t.same(visited, [CERTIFICATE, control.SubscribeURL])
  verify = await settings()
  t.same(verify, pinned)

  t.match(await send(signedBy(notification)), {
    status: 200,
    body: { processed: 1, alerts: [{ action: 'fire', dedup_key: alarm.AlarmArn }] }
  })
  t.match(alerts(), [
    { source: 'cloudwatch', action: 'fire', severity: 'critical', delivery_id: notification.MessageId, title: 'orders-5xx' }
  ])
  t.match(await send(signedBy({ ...notification, TopicArn: `${TOPIC}2` })), { status: 403, body: { error: /^The topic is not the one/ } })
  t.match(await post(PATH, JSON.stringify(alarm), { 'x-amz-sns-rawdelivery': 'true' }), { status: 403, body: { error: RAW } })
  t.equal(alerts().length, 1)
  t.equal(visited.length, 2, 'the certificate is kept')
})
