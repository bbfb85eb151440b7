/**
 * Sends one GET over HTTPS to an address that a sender named, when a proof or a confirmation needs
 * something from the vendor. The name is resolved once, the address guard judges every resolved
 * address, and the connection goes to exactly the address that was judged. It follows no redirect,
 * has 5 s in total, and limits the size of the body. Nothing here logs an address, because the
 * address of a confirmation holds a token.
 *
 * Source: docs/design/inbound-sources.md#s6; docs/design/architecture.md#s6.
 */
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import type { AddressGuard, Resolve } from '../../http/address-guard.ts'
import { BoundedMap } from '../../process/bounded-map.ts'

const DEADLINE_MS = 5000
const MAX_BYTES = 64 * 1024

export interface Got {
  status: number
  body: Buffer
}

/**
 * Rejects when the address is not HTTPS, when the guard refuses it, when no answer comes in time,
 * or when the answer is too large.
 */
export type Get = (url: string) => Promise<Got>

export interface GetOptions {
  guard: Pick<AddressGuard, 'resolve'>
  ask?: Resolve
  /** CA certificates that are trusted besides those that Node knows. */
  ca?: string
  deadlineMs?: number
}

const asked: Resolve = async (name, family) => (await lookup(name, { all: true, family })).map(({ address }) => address)

const later = (ms: number, message: string): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(message)), ms).unref()
  })

export function createGet({ guard, ask = asked, ca, deadlineMs = DEADLINE_MS }: GetOptions): Get {
  async function get(text: string, signal: AbortSignal): Promise<Got> {
    const url = new URL(text)
    if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') throw new Error('not a plain address of HTTPS')
    const port = url.port === '' ? 443 : Number(url.port)
    const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const [at] = await guard.resolve(url.hostname, port, 0, ask)
    if (!at) throw new Error('the name has no address')
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: at.address,
          servername: name,
          port,
          path: `${url.pathname}${url.search}`,
          headers: { host: url.host, accept: '*/*' },
          agent: false,
          signal,
          ...(ca !== undefined && { ca })
        },
        (answer) => {
          const chunks: Buffer[] = []
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes > MAX_BYTES) outgoing.destroy(new Error(`the answer has more than ${MAX_BYTES} bytes`))
            else chunks.push(chunk)
          })
          answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }))
          answer.once('error', reject)
        }
      )
      outgoing.once('error', reject)
      outgoing.end()
    })
  }
  return (url) => {
    const over = new AbortController()
    // The deadline covers the resolver too, which may never answer.
    return Promise.race([get(url, over.signal), later(deadlineMs, 'no answer in time')]).finally(() => over.abort())
  }
}

const MAX_KEPT = 32
const MAX_UNDER_WAY = 16

/**
 * Certificates by address: each is fetched once, and the last 32 are kept. A failure is not cached.
 */
export function createCertificates(get: Get): (url: string) => Promise<string> {
  const kept = new BoundedMap<string, string>(MAX_KEPT)
  const underWay = new Map<string, Promise<string>>()

  async function fetched(url: string): Promise<string> {
    const { status, body } = await get(url)
    if (status !== 200) throw new Error(`the certificate's address answered ${status}`)
    const pem = body.toString('latin1')
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error("the certificate's address answered something else")
    kept.set(url, pem)
    return pem
  }

  return async (url) => {
    const known = kept.get(url)
    if (known !== undefined) {
      kept.delete(url) // Moves it to the end: the least recently used is evicted first.
      kept.set(url, known)
      return known
    }
    const running = underWay.get(url)
    if (running) return running
    if (underWay.size >= MAX_UNDER_WAY) throw new Error('too many certificates are being fetched')
    const fetching = fetched(url).finally(() => underWay.delete(url))
    underWay.set(url, fetching)
    return fetching
  }
}
