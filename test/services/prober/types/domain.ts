import { gzipSync } from 'node:zlib'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, http, networkOf, tcp } from '../stand.ts'
import type { Case, TypeCases } from './cases.ts'

const DAY_MS = 86_400_000
/** Returns a registry's answer for a domain that expires so many days from now. */
const expiring = (days: number, more: object = {}): string =>
  JSON.stringify({
    objectClassName: 'domain',
    rdapConformance: ['rdap_level_0'],
    events: [
      { eventAction: 'registration', eventDate: '2001-01-01T00:00:00Z' },
      { eventAction: 'expiration', eventDate: new Date(Date.now() + (days + 0.5) * DAY_MS).toISOString() }
    ],
    ...more
  })

const registered: Record<string, string> = {
  'long.test': expiring(300),
  'xn--grn-ioa.test': expiring(300),
  'marked.test': `\ufeff${expiring(300)}`,
  'soon.test': expiring(20),
  'near.test': expiring(3),
  'over.test': expiring(-2),
  'endless.test': JSON.stringify({ objectClassName: 'domain', events: [] }),
  'list.test': '[1, 2]',
  'page.test': '<html>'
}

export const cases: TypeCases = {
  against: 'an RDAP server of Node',
  async cases(stage): Promise<Case[]> {
    const asked: string[] = []
    const base = await http(stage, (request, response) => {
      const [, name = ''] = /^\/rdap\/domain\/([^/?]+)$/.exec(request.url ?? '') ?? []
      asked.push(`${request.headers.accept}`)
      if (name === 'moved.test') return void response.writeHead(302, { location: '/rdap/domain/long.test' }).end()
      if (name === 'round.test') return void response.writeHead(302, { location: '/rdap/domain/round.test' }).end()
      if (name === 'busy.test') return void response.writeHead(429).end()
      if (name === 'broken.test') return void response.writeHead(503).end()
      if (name === 'barred.test') return void response.writeHead(403).end()
      const found = registered[name]
      if (found === undefined) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'application/rdap+json', 'content-encoding': 'gzip' }).end(gzipSync(found))
    })
    const silent = await tcp(stage, () => undefined)
    const facts = {
      rdap: new Map([
        ['test', `${base}/rdap/`],
        ['co.test', `${base}/rdap`],
        ['silent', `http://127.0.0.1:${silent}/`],
        ['closed', 'http://127.0.0.1:1/'],
        ['nowhere', 'http://rdap.nowhere.test/'],
        ['secured', `${base.replace('http:', 'https:')}/`]
      ])
    }
    const of = (target: string, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(target, { type: 'domain', timeout_seconds: 10, config, ...changes })
    const one = (what: string, gives: Case['gives'], monitor: Assignment, shows: unknown = {}): Case => ({
      what,
      gives,
      monitor,
      facts,
      shows
    })
    return [
      one('a registration that lasts', 'success', of('long.test'), {
        message: 'The registration ends in 300 days',
        domainExpiresAt: String
      }),
      one('a name in another script', 'success', of('grün.test')),
      one('an answer that begins with a byte order mark', 'success', of('marked.test')),
      one('one that ends soon', 'degraded', of('soon.test'), { message: 'The registration ends in 20 days' }),
      one('soon enough for its own limit', 'success', of('soon.test', { warn_days: 10, fail_days: 5 })),
      one('one that ends now', 'assertion', of('near.test'), { message: 'The registration ends in 3 days' }),
      one('one that has ended', 'assertion', of('over.test'), { message: 'The registration has ended' }),
      one('a server behind a redirect', 'success', of('moved.test'), { redirects: [`${base}/rdap/domain/long.test`] }),
      one('redirects without end', 'redirect', of('round.test')),
      one('a name that nobody registered', 'dns', of('free.test'), { message: 'The domain is not registered' }),
      one('a registry that has had enough', 'prober_error', of('busy.test'), { message: 'The registry does not answer now' }),
      one('a registry that is broken', 'prober_error', of('broken.test'), { message: 'The registry does not answer now' }),
      one('a registry that answers nobody', 'http_status', of('barred.test'), { status: 403 }),
      one('a registry that does not tell', 'protocol', of('endless.test')),
      one('a list for an object', 'protocol', of('list.test')),
      one('a page for JSON', 'protocol', of('page.test')),
      one('the server of the longer ending', 'dns', of('shop.co.test')),
      one('silence', 'prober_error', of('a.silent', {}, { timeout_seconds: 1 }), { message: 'The registry does not answer now' }),
      one('a port that is closed', 'prober_error', of('a.closed')),
      one('a server without an address', 'prober_error', of('a.nowhere')),
      one('a server without TLS', 'prober_error', of('a.secured')),
      { ...one('a server that is refused', 'blocked_target', of('long.test')), network: networkOf({ open: [], closed: [], own: [] }) },
      one(
        'slow',
        'degraded',
        of('long.test', {}, { degraded_after_ms: 1, assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] })
      ),
      {
        ...one('asked in the words of RDAP', 'success', of('long.test')),
        holds: () => (asked.every((accept) => accept.startsWith('application/rdap+json')) ? null : asked.join())
      }
    ]
  }
}
