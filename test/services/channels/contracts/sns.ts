/**
 * Amazon SNS. It recomputes the signature of a request over the headers that the request names as
 * signed. Errors and limits follow docs/design/outbound-channels.md#s3-23.
 */
import { createHash, createHmac } from 'node:crypto'
import { type Answer, type Asked, type Contract, RETRY_AFTER_SECONDS, refused, took, withField, withHeader } from '../contract.ts'

type Config = { topic_arn: string; access_key: string; secret_key: string; region?: string }

const MAX_MESSAGE_BYTES = 256 * 1024
const MAX_AGE_MS = 900_000
const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/sns\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/

const error = (code: string, message = code): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`
const refuse = (status: number, code: string, why = code): Answer => refused(status, why, error(code, why))

const hex = (text: string): string => createHash('sha256').update(text).digest('hex')
const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Returns the signature that this request must have. */
export function signatureOf({ method, path, headers, body }: Asked, names: string, day: string, region: string, secret: string): string {
  const lines = names.split(';').map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  const canonical = `${method}\n${path}\n\n${lines.join('')}\n${names}\n${hex(body)}`
  const toSign = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${day}/${region}/sns/aws4_request\n${hex(canonical)}`
  const key = mac(mac(mac(mac(`AWS4${secret}`, day), region), 'sns'), 'aws4_request')
  return mac(key, toSign).toString('hex')
}

function signatureFault(asked: Asked, { topic_arn, access_key, secret_key }: Config): Answer | null {
  const [, key, day = '', region = '', names = '', signature] = SIGNED.exec(asked.headers.authorization ?? '') ?? []
  const date = asked.headers['x-amz-date'] ?? ''
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (signature === undefined) return refuse(403, 'MissingAuthenticationToken')
  if (key !== access_key) return refuse(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.')
  if (!date.startsWith(day) || Number.isNaN(at)) return refuse(403, 'SignatureDoesNotMatch', 'the date does not fit')
  if (Math.abs(Date.now() - at) > MAX_AGE_MS) return refuse(400, 'RequestExpired')
  if (region !== topic_arn.split(':')[3]) return refuse(403, 'SignatureDoesNotMatch', 'Credential should be scoped to a valid region.')
  if (!['host', 'x-amz-date'].every((name) => names.split(';').includes(name))) return refuse(403, 'IncompleteSignature')
  return signatureOf(asked, names, day, region, secret_key) === signature ? null : refuse(403, 'SignatureDoesNotMatch')
}

function fieldFault(form: URLSearchParams, { topic_arn }: Config): Answer | null {
  const invalid = (why: string): Answer => refuse(400, 'InvalidParameter', `Invalid parameter: ${why}`)
  if (form.get('Action') !== 'Publish' || form.get('Version') !== '2010-03-31') return refuse(400, 'InvalidAction')
  if (form.get('TopicArn') !== topic_arn) return refuse(404, 'NotFound', 'Topic does not exist')
  const [message, subject] = [form.get('Message') ?? '', form.get('Subject')]
  if (message === '' || Buffer.byteLength(message) > MAX_MESSAGE_BYTES) return invalid('Message')
  if (subject !== null && !/^[!-~][ -~]{0,98}$/.test(subject)) return invalid('Subject')
  for (let nth = 1; form.has(`MessageAttributes.entry.${nth}.Name`); nth++) {
    const of = (part: string): string | null => form.get(`MessageAttributes.entry.${nth}.${part}`)
    if (of('Value.DataType') !== 'String' || !of('Value.StringValue')) return invalid('MessageAttributes')
  }
  if (!topic_arn.endsWith('.fifo')) return form.has('MessageGroupId') ? invalid('MessageGroupId') : null
  return form.has('MessageGroupId') && form.has('MessageDeduplicationId') ? null : invalid('a FIFO topic needs a group and a key')
}

const settings = {
  topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts.fifo',
  access_key: 'AKIAIOSFODNN7EXAMPLE',
  secret_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
}

export const contract: Contract<Config> = {
  config: () => settings,
  rotated: () => ({
    topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts.fifo',
    access_key: 'AKIAIOSFODNN7EXAMPL2',
    secret_key: 'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY'
  }),
  vendor(valid) {
    const keys = new Set<string | null>()
    return (asked) => {
      if (asked.method !== 'POST' || asked.path !== '/') return refused(404, 'no such path')
      const form = new URLSearchParams(asked.body)
      const unsigned = signatureFault(asked, valid)
      if (unsigned) return unsigned
      // A client that knows only the name of a topic asks for its ARN in this way. Our sender knows
      // the ARN.
      if (form.get('Action') === 'CreateTopic')
        return took(
          'topic',
          `<CreateTopicResponse><CreateTopicResult><TopicArn>${valid.topic_arn}</TopicArn></CreateTopicResult></CreateTopicResponse>`
        )
      const wrong = fieldFault(form, valid)
      if (wrong) return wrong
      const key = form.get('MessageDeduplicationId')
      const isKnown = key !== null && keys.has(key)
      keys.add(key)
      const answer = `<PublishResponse><PublishResult><MessageId>${keys.size}</MessageId></PublishResult></PublishResponse>`
      return took(`${isKnown ? 'the same ' : ''}${form.get('MessageAttributes.entry.1.Value.StringValue')}`, answer)
    }
  },
  faults: {
    '400': { answer: { status: 400, body: error('InvalidParameter') } },
    '401': { answer: { status: 403, body: error('InvalidClientTokenId') } },
    '404': { answer: { status: 404, body: error('NotFound', 'Topic does not exist') } },
    '429': {
      answer: { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, body: error('Throttling', 'Rate exceeded') },
      times: 1
    },
    '500': { answer: { status: 500, body: error('InternalError') }, times: 1 }
  },
  wrong: {
    'another message under the same signature': withField('Message', '{}'),
    'no signature': withHeader('authorization', null),
    'a request from long ago': withHeader('x-amz-date', '20200101T000000Z')
  },
  apprise: {
    target: () => 'sns://AKIAIOSFODNN7EXAMPLE/wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY/eu-central-1/alerts',
    hosts: ['sns.eu-central-1.amazonaws.com'],
    config: () => ({ ...settings, topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts' })
  },
  checked: '`@smithy/signature-v4` computes the same signature; `moto` hands the message on; Apprise is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'test → arrived',
    down: 'incident.created → sent',
    update: 'incident.assigned → sent',
    acknowledge: 'incident.acknowledged → sent',
    recover: 'incident.resolved → sent',
    rotate: 'incident.created → sent',
    '400': '400 → failed',
    '401': '3× 403 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), incident.created → sent',
    '500': '500, incident.created → sent',
    timeout: 'no answer, incident.created → sent',
    malformed: 'nonsense, incident.created → sent'
  }
}
