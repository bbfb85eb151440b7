/** Tests when a digest is due in a person's time zone, and what it says. */
import t from 'tap'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { type DigestFacts, digestOf, nextDigestAt } from '../../../streams/reach/digest.ts'

const at = (text: string): number => Date.parse(text)
const next = (every: 'none' | 'daily' | 'weekly', time: string, zone: string, after: string): string | null => {
  const found = nextDigestAt({ every, at: time }, zone, at(after), tzZones)
  return found === null ? null : new Date(found).toISOString()
}

t.test("the next digest in the person's time zone", async (t) => {
  for (const [every, time, zone, after, expected] of [
    ['none', '09:00', 'UTC', '2026-01-05T00:00:00Z', null],
    ['daily', '09:00', 'UTC', '2026-01-05T08:59:59Z', '2026-01-05T09:00:00.000Z'],
    ['daily', '09:00', 'UTC', '2026-01-05T09:00:00Z', '2026-01-06T09:00:00.000Z'],
    ['daily', '09:00', 'Europe/Berlin', '2026-01-05T07:00:00Z', '2026-01-05T08:00:00.000Z'],
    ['daily', '09:00', 'Europe/Berlin', '2026-07-05T06:59:00Z', '2026-07-05T07:00:00.000Z'],
    ['daily', '23:30', 'Pacific/Auckland', '2026-01-05T11:00:00Z', '2026-01-06T10:30:00.000Z'],
    ['daily', '00:15', 'America/Los_Angeles', '2026-01-05T08:00:00Z', '2026-01-05T08:15:00.000Z'],
    // 2026-03-29: the clocks go from 02:00 to 03:00.
    ['daily', '02:30', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['daily', '02:30', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00.000Z'],
    // 2026-10-25: 02:30 comes twice.
    ['daily', '02:30', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['daily', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    ['weekly', '09:00', 'UTC', '2026-01-05T09:00:00Z', '2026-01-12T09:00:00.000Z'],
    ['weekly', '09:00', 'UTC', '2026-01-06T09:00:00Z', '2026-01-12T09:00:00.000Z'],
    ['weekly', '09:00', 'UTC', '2026-01-05T08:00:00Z', '2026-01-05T09:00:00.000Z'],
    // Monday begins there while it is Sunday in UTC.
    ['weekly', '01:00', 'Asia/Tokyo', '2026-01-04T12:00:00Z', '2026-01-04T16:00:00.000Z']
  ] as const)
    t.equal(next(every, time, zone, after), expected, `${every} ${time} ${zone} after ${after}`)
  t.throws(() => next('daily', '09:00', 'Mars/Olympus', '2026-01-05T00:00:00Z'), RangeError)
})

t.test('a daily digest is due once a day throughout a year with clock changes', async (t) => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
    const days = new Set<string>()
    let now = at('2026-01-01T00:00:00Z')
    for (let count = 0; count < 365; count++) {
      const found = nextDigestAt({ every: 'daily', at: '02:15' }, zone, now, tzZones)
      if (found === null || found <= now) return t.fail(`${zone}: ${found} after ${now}`)
      days.add(new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(found))
      now = found
    }
    t.equal(days.size, 365, zone)
  }
})

const facts = (over: Partial<DigestFacts> = {}): DigestFacts => ({
  workspace: 'Acme',
  every: 'daily',
  time_zone: 'Europe/Berlin',
  from: at('2026-01-05T08:00:00Z'),
  to: at('2026-01-06T08:00:00Z'),
  open: { total: 0, named: [] },
  opened: 0,
  over: { total: 0, named: [] },
  ...over
})
const one = (number: number, title = 'Disk full') => ({
  number,
  title,
  severity: 'critical' as const,
  started_at: at('2026-01-05T20:00:00Z'),
  resolved_at: at('2026-01-05T21:00:00Z')
})

t.test('the text of a digest', async (t) => {
  t.equal(digestOf(facts()), null, 'nothing')
  t.same(digestOf(facts({ open: { total: 1, named: [one(7)] }, opened: 2, over: { total: 1, named: [one(6, 'Slow')] } })), {
    title: 'Daily digest of Acme: 2 opened, 1 over, 1 open now',
    body: [
      'From 2026-01-05 09:00 to 2026-01-06 09:00 (Europe/Berlin).',
      'Open now: 1',
      '- INC-7 [critical] Disk full, since 2026-01-05 21:00',
      'Over: 1',
      '- INC-6 [critical] Slow, from 2026-01-05 21:00 to 2026-01-05 22:00'
    ].join('\n')
  })
  const many = digestOf(
    facts({ every: 'weekly', over: { total: 400, named: Array.from({ length: 50 }, (_, n) => one(n, 'x'.repeat(5000))) } })
  )
  t.match(many?.title, /^Weekly digest of Acme: 0 opened, 400 over, 0 open now$/)
  t.equal(many?.body.split('\n').length, 1 + 1 + 20 + 1)
  t.match(many?.body, /- and 380 more$/)
  t.ok((many?.body.length ?? 0) < 10_000)
})
