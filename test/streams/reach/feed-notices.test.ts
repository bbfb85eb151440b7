/** Tests what notices of the feed say, and that one cause has one key. */
import t from 'tap'
import {
  billingNotice,
  certificateNotice,
  limitNotice,
  massOutageNotice,
  planNotice,
  platformNotice,
  renewedNotice,
  usageNotice
} from '../../../streams/reach/feed-notices.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-01-05T09:00:00Z')
const tenant_id = '0198e000-0000-7000-8000-000000000001'
const about = { team_id: null, visibility: 'org' } as const

t.test('certificate notices have a key for each threshold, for expiry and for renewal', async (t) => {
  const certificate = { tenant_id, monitor_id: 'm', name: 'shop', about, at: NOW }
  const told = (left: number, threshold: number) => certificateNotice({ ...certificate, not_after: NOW + left * DAY, threshold })
  const keyOf = (threshold: number): string | undefined => told(5, threshold).key.split(':').at(-1)
  t.same([30, 7, 0].map(keyOf), ['30', '7', 'over'])
  t.match(told(7, 7), {
    title: 'The certificate of shop expires in 7 days',
    severity: 'warning',
    type: 'ssl_expiry',
    body: /2026-01-12 09:00 UTC/
  })
  t.match(told(1.5, 3), { title: 'The certificate of shop expires in 1 day' })
  t.match(told(-1, 0), { title: 'The certificate of shop has expired', severity: 'critical' })
  const before = NOW + 6 * DAY
  t.match(renewedNotice({ ...certificate, before, not_after: NOW + 90 * DAY }), {
    key: `ssl_expiry:m:${before}:renewed`,
    title: 'The certificate of shop is renewed',
    severity: 'info',
    body: /2026-04-05 09:00 UTC/
  })
})

t.test('usage notices are due at 80 and 100 %, once a month', async (t) => {
  const told = (before: number, after: number, limit: number | null = 50, at = NOW) =>
    usageNotice({ tenant_id, limit_key: 'sms_voice_per_month', what: 'Text messages and calls', before, after, limit, at })
  for (const [before, after] of [
    [0, 39],
    [40, 41],
    [50, 51]
  ] as const)
    t.equal(told(before, after), null, `${before} to ${after}`)
  t.match(told(39, 40), { title: '80 % of text messages and calls of this month are used', severity: 'warning', key: /2026-01:50:80$/ })
  t.match(told(49, 50), { title: 'Text messages and calls of this month are used up', severity: 'critical', key: /2026-01:50:100$/ })
  t.match(told(0, 50), { key: /100$/ }, 'both at once: what is worse')
  t.not(told(39, 40)?.key, told(39, 40, 50, NOW + 31 * DAY)?.key)
  t.not(told(49, 50)?.key, told(299, 300, 300)?.key, 'a larger plan of the same month can be used up, too')
  t.equal(told(0, 10, 0), null, 'a plan without any')
  t.equal(told(0, 10, null), null, 'as many as they like')
})

t.test('notices about limits, plans, payments, outages and the platform', async (t) => {
  const limit = { tenant_id, limit_key: 'escalation_policies', limit: 1, plan: 'free', upgrade_to: 'pro', at: NOW }
  t.match(limitNotice(limit), { type: 'limit', title: 'The limit of escalation policies is reached', body: /free has 1.*pro has more/ })
  t.equal(limitNotice(limit).key, limitNotice({ ...limit, at: NOW + 3_600_000 }).key)
  t.not(limitNotice(limit).key, limitNotice({ ...limit, at: NOW + DAY }).key)
  t.notMatch(limitNotice({ ...limit, upgrade_to: null }).body, /more\. /)
  t.match(limitNotice({ ...limit, limit_key: 'min_interval_seconds', limit: 180 }), {
    title: 'The plan has no shorter interval for checks',
    body: 'The plan free checks every 180 s at most, and somebody wanted it more often. The plan pro checks more often.'
  })
  t.match(limitNotice({ ...limit, limit_key: 'channel_kinds', limit: 0, plan: 'pro', upgrade_to: 'business' }), {
    title: 'The plan does not include this kind of channel',
    body: 'Somebody wanted it, and the plan pro does not have it. The plan business has it.'
  })
  t.match(limitNotice({ ...limit, limit_key: 'shadow_rules', limit: 0 }), { title: 'The plan does not include shadow rules' })
  t.match(planNotice({ tenant_id, change_id: 'c', from: 'free', to: 'pro', at: NOW }), {
    type: 'plan',
    title: 'The plan is pro now',
    audience: 'managers'
  })
  t.match(billingNotice({ tenant_id, event_id: 'e', payment: 'failed', detail: 'Card declined.', at: NOW }), {
    type: 'billing',
    severity: 'critical',
    body: 'Card declined.',
    key: 'billing:e'
  })
  t.match(massOutageNotice({ tenant_id, incident_id: 'i', about, title: '4 monitors are down', summary: 'Shop and more', at: NOW }), {
    type: 'mass_outage',
    severity: 'critical',
    title: '4 monitors are down',
    body: 'Shop and more',
    incident_id: 'i'
  })
  const word = { tenant_id, word_id: 'w', severity: 'info', title: 'x', body: '', at: NOW } as const
  t.same(
    (['admin', 'broadcast', 'announcement'] as const).map((type) => platformNotice({ ...word, type }).audience),
    ['managers', 'everybody', 'everybody']
  )
})
