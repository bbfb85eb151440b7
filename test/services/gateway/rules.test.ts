/**
 * Decisions of the gateway that need no socket: who receives what, what is a repeat, what a message
 * means, and how fast is too fast.
 */
import t from 'tap'
import { type Channel, channels, usualChannels } from '../../../schemas/http/channels.ts'
import type { Scope } from '../../../schemas/http/endpoints.ts'
import { type Listener, parseChannels, topicsOfFrame, topicsOfListener } from '../../../services/gateway/channels.ts'
import { cursorsOf, spliceCursor } from '../../../services/gateway/cursor.ts'
import type { Holder } from '../../../services/gateway/identify.ts'
import { parseMessage } from '../../../services/gateway/messages.ts'
import { judged } from '../../../services/gateway/rechecks.ts'
import { createRepeats } from '../../../services/gateway/repeats.ts'
import { type Failure, unavailable } from '../../../services/http/answer.ts'
import { Bucket, KeyedBuckets } from '../../../services/http/rate-buckets.ts'

const everything = new Set(channels)
const viewer: Listener = {
  tenant_id: 'T',
  user_id: 'U',
  rights: new Set<Scope>(['read']),
  seesAllTeams: false,
  own_teams: [],
  open_teams: null
}
const member: Listener = { ...viewer, own_teams: ['red', 'blue'] }
/** A listener in a workspace with a private team that is hidden from them. */
const outsider: Listener = { ...viewer, own_teams: ['blue'], open_teams: ['blue', 'green'] }
const owner: Listener = { ...viewer, seesAllTeams: true, own_teams: ['red'], open_teams: null }
const stranger: Listener = { ...viewer, tenant_id: 'other' }
const colleague: Listener = { ...viewer, user_id: 'V' }
const books: Listener = { ...viewer, rights: new Set<Scope>(['billing']) }
const sender: Listener = { ...viewer, rights: new Set<Scope>(['ingest', 'write']) }

//  a frame                                       audience      event_type                   who hears it
const audiences: [string, string, string, Listener[]][] = [
  ['for the workspace', 'tenant', 'incident.created', [viewer, member, owner, colleague, outsider]],
  ['for the members of a team', 'team:red', 'incident.created', [member, owner]],
  ['for the members of a team nobody here is in', 'team:green', 'incident.created', [owner]],
  ['of a team that is open', 'org-team:green', 'incident.created', [viewer, member, owner, colleague, outsider]],
  ['of one’s own team', 'org-team:blue', 'incident.created', [viewer, member, owner, colleague, outsider]],
  ['of the schedule of a team that is hidden from some', 'org-team:red', 'oncall.changed', [viewer, member, owner, colleague]],
  ['of a team that is hidden from some', 'org-team:red', 'incident.created', [viewer, member, owner, colleague]],
  ['for one person', 'user:U', 'notification.created', [viewer, member, owner, outsider]],
  ['for another person', 'user:V', 'notification.created', [colleague]],
  ['of a type without a channel', 'tenant', 'weather.changed', [viewer, member, owner, colleague, outsider]],
  ['without an audience', '', 'incident.created', []],
  ['for an audience that is not known', 'planet:earth', 'incident.created', []],
  ['for a team without a name', 'team:', 'incident.created', []],
  ['of a team without a name', 'org-team:', 'incident.created', []]
]
for (const [name, audience, event_type, hearers] of audiences) {
  t.test(`who receives a frame ${name}`, async (t) => {
    const topics = topicsOfFrame({ tenant_id: 'T', audience, event_type })
    for (const listener of [viewer, member, owner, outsider, stranger, colleague, books, sender]) {
      const heard = topicsOfListener(listener, everything).filter((topic) => topics.includes(topic)).length
      t.equal(
        heard,
        hearers.includes(listener) ? 1 : 0,
        `${listener.tenant_id}/${listener.user_id} hears it ${hearers.includes(listener) ? 'once' : 'not'}`
      )
    }
  })
}

//  the header category   who hears an item of theirs
const categories: [Record<string, string>, Listener[]][] = [
  [{ category: 'incident' }, [viewer, member, owner]],
  [{ category: 'admin' }, [viewer, member, owner, books]],
  [{ category: 'billing' }, [viewer, member, owner, books]],
  [{ category: 'weather' }, []],
  [{}, [viewer, member, owner]]
]
for (const [header, hearers] of categories) {
  t.test(`who receives a feed item: ${header.category ?? 'without a category'}`, async (t) => {
    const topics = topicsOfFrame({ tenant_id: 'T', audience: 'user:U', event_type: 'notification.created', ...header })
    for (const listener of [viewer, member, owner, stranger, colleague, books, sender]) {
      const times = topicsOfListener(listener, everything).filter((topic) => topics.includes(topic)).length
      t.equal(times, hearers.includes(listener) ? 1 : 0, [...listener.rights].join())
    }
    t.notOk(
      topicsOfListener(books, new Set<Channel>(['monitors.status'])).some((topic) => topics.includes(topic)),
      'only where it is asked for'
    )
  })
}

t.test('a frame without a workspace reaches nobody', async (t) => {
  t.same(topicsOfFrame({ audience: 'tenant', event_type: 'incident.created' }), [])
})

//  event_type                      heard on
const types: [string, string[]][] = [
  ['incident.created', ['monitors.status']],
  ['incident.removed', ['monitors.status']],
  ['monitor.status_changed', ['monitors.status']],
  ['monitor.phase_changed', ['monitors.status']],
  ['heartbeat.ping_received', ['heartbeats.status']],
  ['notification.created', ['notifications.feed']],
  ['oncall.changed', ['oncall']],
  ['weather.changed', [...channels]]
]
for (const [event_type, heard] of types) {
  t.test(`${event_type} reaches subscribers of ${heard.length > 1 ? 'anything' : heard[0]}`, async (t) => {
    const [topic = ''] = topicsOfFrame({ tenant_id: 'T', audience: 'tenant', event_type })
    t.same(
      channels.filter((channel) => topicsOfListener(viewer, new Set([channel])).includes(topic)),
      heard
    )
  })
}

t.test('known and unknown channel names', async (t) => {
  t.same(parseChannels([]), { wanted: new Set(usualChannels) })
  t.notOk(usualChannels.includes('oncall'), 'it is for who asks for it')
  t.same(parseChannels(['oncall']), { wanted: new Set(['oncall']) })
  t.same(parseChannels(['monitors.status', 'monitors.status']), { wanted: new Set(['monitors.status']) })
  t.same(parseChannels(['monitors.status', 'nonsense']), { unknown: 'nonsense' })
  t.same(parseChannels(['system']), { unknown: 'system' })
})

t.test('a cursor is added to a frame before its closing brace', async (t) => {
  const cursor = cursorsOf('cluster')(7, 123_456_789_012n)
  t.match(cursor, /^[A-Za-z0-9_-]{22}$/)
  t.same(JSON.parse(String(spliceCursor(Buffer.from('{"a":{"b":"}ü"}}'), cursor))), { a: { b: '}ü' }, id: cursor })
  for (const unfit of ['', '{}', '{"a":1}\n', '[1]', 'null']) t.equal(spliceCursor(Buffer.from(unfit), cursor), null, JSON.stringify(unfit))
  t.not(cursorsOf('cluster')(7, 123_456_789_013n), cursor, 'another offset')
  t.not(cursorsOf('cluster')(8, 123_456_789_012n), cursor, 'another partition')
  t.not(cursorsOf('another')(7, 123_456_789_012n), cursor, 'another log')
})

t.test('a frame that is not newer than the last published one is a repeat', async (t) => {
  const repeats = createRepeats({ spanMs: 1000, max: 3 })
  const seen = (aggregate: string | undefined, ver: number | undefined, now: number, audience = 'tenant'): boolean =>
    repeats.seen({ audience, ...(aggregate !== undefined && { aggregate }), ...(ver !== undefined && { ver: String(ver) }) }, now)
  t.equal(seen('a', 1, 0), false)
  t.equal(seen('a', 1, 1), true)
  t.equal(seen('a', 3, 2), false)
  t.equal(seen('a', 2, 3), true, 'older than the newest')
  t.equal(seen('a', 3, 4, 'team:red'), false, 'another audience hears of its own')
  t.equal(seen('a', 3, 4, 'team:red'), true)
  t.equal(seen(undefined, 1, 5), false, 'a hint belongs to no aggregate')
  t.equal(seen(undefined, 1, 5), false)
  t.equal(seen('a', undefined, 5), false)
  t.equal(seen('a', 3, 1999), true, 'remembered over the span')
  t.equal(seen('a', 3, 2998), true, 'from the last time on')
  t.equal(seen('b', 1, 2999), false)
  t.equal(seen('b', 1, 3999), true)
  t.equal(seen('b', 1, 10_000), true, 'a silent table forgets nothing by itself')
  for (let n = 0; n < 6; n++) t.equal(seen(`c${n}`, 1, 10_001), false)
  t.equal(seen('b', 1, 10_002), false, 'forgotten for the sake of a bound')
})

//  a message
//      close code, or what it asks for
const messages: [unknown, number | string][] = [
  ['{"action":"subscribe","channels":["monitors.status"]}', 'subscribe monitors.status'],
  ['{"action":"unsubscribe","channels":["monitors.status","heartbeats.status"],"more":1}', 'unsubscribe monitors.status,heartbeats.status'],
  ['{"action":"subscribe","channels":["nonsense"]}', 4404],
  ['{"action":"subscribe","channels":[]}', 4400],
  ['{"action":"subscribe","channels":"monitors.status"}', 4400],
  ['{"action":"subscribe","channels":[1]}', 4400],
  ['{"action":"subscribe"}', 4400],
  ['{"action":"publish","channels":["monitors.status"]}', 4400],
  ['{"channels":["monitors.status"]}', 4400],
  ['{"__proto__":{"action":"subscribe","channels":["monitors.status"]}}', 4400],
  ['', 4400],
  ['ping', 4400],
  ['null', 4400],
  ['[]', 4400],
  ['"subscribe"', 4400],
  [`{"action":"subscribe","channels":["monitors.status"],"pad":"${'x'.repeat(4096)}"}`, 4400],
  [Buffer.from([0xff, 0xfe]), 4400]
]
for (const [message, expected] of messages) {
  t.test(`message ${String(message).slice(0, 70)}`, async (t) => {
    const bytes = Buffer.from(message as string)
    const buffer = new Uint8Array(bytes).buffer
    const parsed = parseMessage(buffer, false)
    t.equal('code' in parsed ? parsed.code : `${parsed.action} ${[...parsed.wanted]}`, expected)
    t.match(parseMessage(buffer, true), { code: 4400 }, 'binary is none')
  })
}

t.test('a bucket allows its burst, then its rate', async (t) => {
  const bucket = new Bucket(10, 3, 0)
  t.same(
    [0, 0, 0, 0].map((now) => bucket.take(now)),
    [true, true, true, false]
  )
  t.equal(bucket.waitSeconds(), 1)
  t.equal(bucket.take(99), false)
  t.equal(bucket.take(100), true)
  t.same(
    [10_000, 10_000, 10_000, 10_000].map((now) => bucket.take(now)),
    [true, true, true, false],
    'and never holds more than its size'
  )
  t.equal(new Bucket(0.1, 0, 0).waitSeconds(), 10)
  const buckets = new KeyedBuckets()
  t.equal(buckets.of('a', 1, 1, 0), buckets.of('a', 1, 1, 0))
  t.not(buckets.of('a', 1, 1, 0), buckets.of('b', 1, 1, 0))
})

t.test('a credential that is checked again keeps, changes or closes its socket', async (t) => {
  const NOW = 1000
  const holder: Holder = { ...viewer, plan: 'free', sha256: 'S', expires_at: null }
  const endsAt = (expires_at: number): Holder => ({ ...holder, expires_at })
  const narrower: Holder = { ...holder, rights: new Set<Scope>(['billing']) }
  const refused = (status: Failure['status']): Failure => ({ status, code: 'X', error: 'x' })
  const away = unavailable('Credentials cannot be checked just now', 2)
  //  a verdict                              of        is             and the socket
  const cases: [string, Holder, Holder | Failure, Holder | number | 'again'][] = [
    ['the same rights', holder, endsAt(5000), endsAt(5000)],
    ['more rights', narrower, holder, holder],
    ['fewer rights', holder, narrower, 4403],
    ['may hear nothing', holder, refused(403), 4403],
    ['may hear nothing, and has ended', endsAt(NOW), refused(403), 4403],
    ['revoked', holder, refused(401), 4410],
    ['revoked before its end', endsAt(NOW + 1), refused(401), 4410],
    ['ended', endsAt(NOW), refused(401), 4401],
    ['ended while nobody can say', endsAt(NOW), away, 4401],
    ['nobody can say', holder, away, 'again']
  ]
  for (const [name, of, verdict, expected] of cases) {
    const outcome = judged(of, verdict, NOW)
    t.same(typeof outcome === 'object' && 'code' in outcome ? outcome.code : outcome, expected, name)
  }
})
