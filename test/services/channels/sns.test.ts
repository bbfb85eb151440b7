/**
 * Tests of Amazon SNS: the published message, its signature compared with that of AWS's library,
 * and the meaning of its errors.
 */
import { createHash, createHmac, type Hash } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import t from 'tap'
import { awsHeaders } from '../../../services/channels/aws-signature.ts'
import { channel as sns } from '../../../services/channels/kinds/sns.ts'
import { acknowledged, context, DELIVERY, drive, hostile, httpOf, INCIDENT, incident, message, NOW, reply, test, up } from './messages.ts'
import { verdicts } from './verdicts.ts'

const SETTINGS = {
  topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
  access_key: 'AKIAIOSFODNN7EXAMPLE',
  secret_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
}
const FIFO = { ...SETTINGS, topic_arn: `${SETTINGS.topic_arn}.fifo` }
const ok = reply(200, '<PublishResponse><PublishResult><MessageId>m-1</MessageId></PublishResult></PublishResponse>')
/** Node's SHA-256 in the form that the library needs. */
class Sha256 {
  readonly #hash: Hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : (createHmac('sha256', secret as NodeJS.ArrayBufferView) as unknown as Hash)
  }
  update(data: Uint8Array): void {
    this.#hash.update(data)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
  reset(): void {
    throw new Error('nobody asks for this')
  }
}

const requestOf = (what: Parameters<typeof drive>[1], settings = SETTINGS) => httpOf(drive(sns, what, settings, [ok]).requests[0])
const formOf = (what: Parameters<typeof drive>[1], settings = SETTINGS) =>
  Object.fromEntries(new URLSearchParams(requestOf(what, settings).body ?? ''))

t.test('fields and attributes of a message published to SNS', async (t) => {
  const request = requestOf(message())
  t.equal(request.url, 'https://sns.eu-central-1.amazonaws.com/')
  t.same([request.guarded, request.secrets], [false, [SETTINGS.secret_key]])
  const form = formOf(message())
  t.match(form, {
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: SETTINGS.topic_arn,
    Subject: '[CRITICAL] api.example.com is down',
    'MessageAttributes.entry.1.Name': 'event',
    'MessageAttributes.entry.1.Value.StringValue': 'monitor.down',
    'MessageAttributes.entry.2.Name': 'severity',
    'MessageAttributes.entry.2.Value.StringValue': 'critical'
  })
  t.match(form.Message, /^\{"title":"\[CRITICAL\] api\.example\.com is down","event":"monitor\.down",/, 'a mail begins with its title')
  t.match(JSON.parse(form.Message ?? ''), { incident: { id: INCIDENT }, status: 'down' })
  t.notOk('MessageGroupId' in form)
  t.match(formOf(message(), FIFO), { MessageGroupId: `svc-inc-${INCIDENT}`, MessageDeduplicationId: DELIVERY })
  const events = [acknowledged(), up(), test(), message({ subject: null })].map(
    (what) => formOf(what)['MessageAttributes.entry.1.Value.StringValue']
  )
  t.same(events, ['incident.acknowledged', 'monitor.up', 'test', 'incident.created'])
  t.same(drive(sns, message({ event: 'maintenance' }), SETTINGS, []).outcome, { outcome: 'skipped', why: 'no_event' })
  t.same(drive(sns, message(), SETTINGS, [ok]).outcome, { outcome: 'delivered', provider_message_id: 'm-1' })
  const china = { ...SETTINGS, topic_arn: SETTINGS.topic_arn.replace('aws:sns:eu-central-1', 'aws-cn:sns:cn-north-1') }
  t.equal(requestOf(message(), china).url, 'https://sns.cn-north-1.amazonaws.com.cn/')
})

t.test('an SNS subject is plain ASCII of less than 100 characters', async (t) => {
  const title = (text: string) => formOf(message({ incident: incident({ title: text }) })).Subject
  t.equal(title('Zürich ŁÓDŹ 🔥\r\nBcc: x'), '[CRITICAL] Zurich ?ODZ ? Bcc: x')
  const long = title('x'.repeat(300)) ?? ''
  t.ok(long.length === 99 && long.endsWith('...'), long)
  t.ok(Buffer.byteLength(formOf(hostile()).Message ?? '') < 256 * 1024)
})

t.test("our SNS signature equals that of AWS's library", async (t) => {
  const vector = awsHeaders(
    { access_key: 'AKIDEXAMPLE', secret_key: SETTINGS.secret_key, region: 'us-east-1', service: 'sns' },
    {
      host: 'sns.us-east-1.amazonaws.com',
      type: 'application/x-www-form-urlencoded; charset=utf-8',
      body: 'Action=Publish&Message=hello&Subject=Test&TopicArn=arn%3Aaws%3Asns%3Aus-east-1%3A123456789012%3Aops&Version=2010-03-31',
      now: NOW
    }
  )
  t.match(vector.authorization, /Signature=72669d101fdb640772ddae4443841b8154ebffe49c79d68e0ad61ee0615f1469$/)
  const { access_key: accessKeyId, secret_key: secretAccessKey } = SETTINGS
  const signer = new SignatureV4({ service: 'sns', region: 'eu-central-1', credentials: { accessKeyId, secretAccessKey }, sha256: Sha256 })
  for (const what of [message(), up(), test(), hostile(), acknowledged()]) {
    const { url, headers, body } = requestOf(what)
    const { hostname } = new URL(url)
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol: 'https:',
        hostname,
        path: '/',
        headers: { host: hostname, 'content-type': headers['content-type'] ?? '' },
        body
      },
      { signingDate: new Date(NOW), unsignableHeaders: new Set(['x-amz-content-sha256']) }
    )
    t.equal(headers.authorization, signed.headers.authorization, what.event)
  }
})

t.test('answers of SNS and their outcomes', async (t) => {
  const error = (status: number, code: string, headers: Record<string, string> = {}) =>
    reply(status, `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>x</Message></Error></ErrorResponse>`, headers)
  verdicts(t, sns, SETTINGS, [
    [ok, 'delivered'],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [error(404, 'NotFound'), 'permanent channel'],
    [error(403, 'AuthorizationError'), 'permanent channel'],
    [error(403, 'InvalidClientTokenId'), 'permanent channel'],
    [error(403, 'SignatureDoesNotMatch', { date: new Date(NOW).toUTCString() }), 'permanent channel'],
    [error(403, 'SignatureDoesNotMatch'), 'permanent channel'],
    [error(403, 'SignatureDoesNotMatch', { date: new Date(NOW + 3_600_000).toUTCString() }), 'retry', { operator: true }],
    [error(400, 'KMSAccessDenied'), 'permanent channel'],
    [error(400, 'EndpointDisabled'), 'permanent channel'],
    [error(400, 'InvalidParameter'), 'permanent delivery'],
    [error(400, 'ValidationError'), 'permanent delivery'],
    [error(400, 'Throttling'), 'retry'],
    [error(400, 'KMSThrottling'), 'retry'],
    [error(400, 'RequestExpired'), 'retry'],
    [error(500, 'InternalError'), 'retry'],
    [reply(503), 'retry']
  ])
  const later = (now: number) => httpOf(drive(sns, message(), SETTINGS, [ok], { at: context({ now }) }).requests[0]).headers
  t.not(later(NOW).authorization, later(NOW + 60_000).authorization, 'each attempt is signed anew')
})

t.test('accepted and refused settings of SNS', async (t) => {
  t.equal(sns.check?.(SETTINGS), null)
  t.equal(sns.check?.({ ...SETTINGS, region: 'eu-central-1' }), null)
  t.match(sns.check?.({ ...SETTINGS, region: 'us-east-1' }), { path: 'region' })
  for (const topic_arn of ['alerts', 'arn:aws:sqs:eu-central-1:123456789012:alerts', 'arn:aws:sns:eu-central-1:1:alerts'])
    t.match(sns.check?.({ ...SETTINGS, topic_arn }), { path: 'topic_arn', rule: 'format' }, topic_arn)
  t.equal(sns.target(SETTINGS), 'eu-central-1: alerts')
})
