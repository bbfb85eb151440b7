/**
 * Payloads for the doors and pings over HTTP, through the public address: hostile payloads of every
 * source, and paths and queries that no client should send.
 */
import { type SourceType, sourceTypes } from '../../../schemas/generated/source-types.ts'
import { corpusOf } from '../corpus.ts'
import { createMaker, diceOf, texts } from '../mutate.ts'
import type { Fault } from './checks.ts'
import type { Answer, Sent } from './http.ts'
import { anAddress, foreignIn, type Tenant, type Victim } from './world.ts'

/** Makes the n-th request. Returns null when the workspace has no integration. */
export interface Doors {
  make(n: number, tenant: Tenant): Sent | null
}

const routers = [
  '/api/v1/webhooks/incoming',
  '/api/v1/webhook/alertmanager',
  '/api/v1/alertmanager',
  '/api/v1/opsgenie/v2/alerts',
  '/api/v1/prober/results',
  '/api/v1/webhooks'
]
const methods: readonly [string, ...string[]] = ['POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** Headers in a form that a client can send: one byte per character. */
const sendable = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1').slice(0, 4000)]))

export function createDoors(seed: number): Doors {
  const makers = new Map(sourceTypes.map((kind) => [kind as string, createMaker(corpusOf(kind as SourceType), seed)]))
  return {
    make(n, tenant) {
      const dice = diceOf(seed, 'door', n)
      const door = tenant.doors[dice.below(Math.max(1, tenant.doors.length))]
      if (!door) return null
      const maker = makers.get(dice.oneIn(3) ? (sourceTypes[dice.below(sourceTypes.length)] ?? '') : door.source_type)
      const payload = maker?.make(n) ?? { bytes: Buffer.from('{}'), headers: {} }
      const odd = encodeURIComponent(dice.pick(texts).replace(/\p{Surrogate}/gu, '\ufffd'))
      const ping = tenant.pings[dice.below(Math.max(1, tenant.pings.length))]
      const router = routers[dice.below(routers.length)] ?? ''
      const what = dice.below(10)
      const path =
        what < 6
          ? `/api/v1/webhooks/incoming/${door.token}`
          : what < 8 && ping !== undefined
            ? `${ping}${dice.pick(['', '/start', '/fail', '/log', '/0', '/1', '/256', `/${odd}`])}${dice.oneIn(2) ? `?rid=${odd}` : ''}`
            : `${router}${dice.pick(['', '/', `/${door.token}`, `/${odd}`, `?token=${door.token}`, `?token=${odd}&${odd}=${odd}`])}`
      const method = dice.pick(methods)
      const type = dice.pick([
        'application/json',
        'application/json',
        'application/x-www-form-urlencoded',
        'text/plain',
        'multipart/form-data; boundary=x',
        'nonsense'
      ])
      const auth = dice.oneIn(3) ? { authorization: `${dice.pick(['Bearer', 'GenieKey', 'Basic'])} ${door.token}` } : {}
      const bare = method === 'GET' || method === 'HEAD'
      return {
        method,
        path,
        headers: { ...sendable(payload.headers), ...auth, 'content-type': type, 'x-forwarded-for': anAddress() },
        body: bare ? null : payload.bytes
      }
    }
  }
}

export function judgeDoor({ status, headers, body }: Answer, sent: Sent, victim: Victim): Fault[] {
  if (status === 0) return [{ what: 'no answer', why: body }]
  const faults: Fault[] = []
  if (status >= 500) faults.push({ what: '5xx', why: `${status} ${body.slice(0, 500)}` })
  const seen = foreignIn(victim, `${body} ${JSON.stringify(headers)}`, `${sent.path} ${sent.body?.toString() ?? ''}`)
  if (seen !== null) faults.push({ what: 'foreign id', why: `the answer holds ${seen}` })
  return faults
}
