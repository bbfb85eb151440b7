/**
 * AWS Signature Version 4 for a POST with a body. It is written here because the SDK is large and
 * this is the only part of it that is needed.
 * Source: docs/design/outbound-channels.md#s3-23.
 */
import { createHash, createHmac } from 'node:crypto'

export interface AwsKey {
  access_key: string
  secret_key: string
  region: string
  service: string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** 20260101T000000Z. */
const stamp = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '')

/**
 * Returns the headers `x-amz-date` and `authorization` for a POST to the root path of a host. AWS
 * uses `now` (epoch ms) to judge the age of a request. The request must send the same content type
 * as is given here.
 */
export function awsHeaders(
  { access_key, secret_key, region, service }: AwsKey,
  { host, type, body, now }: { host: string; type: string; body: string; now: number }
): { 'x-amz-date': string; authorization: string } {
  const at = stamp(now)
  const names = 'content-type;host;x-amz-date'
  const canonical = ['POST', '/', '', `content-type:${type}`, `host:${host}`, `x-amz-date:${at}`, '', names, sha256(body)].join('\n')
  const scope = [at.slice(0, 8), region, service, 'aws4_request']
  const key = scope.reduce<string | Buffer>((so_far, part) => hmac(so_far, part), `AWS4${secret_key}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', at, scope.join('/'), sha256(canonical)].join('\n')).toString('hex')
  const credential = `${access_key}/${scope.join('/')}`
  return { 'x-amz-date': at, authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}` }
}
