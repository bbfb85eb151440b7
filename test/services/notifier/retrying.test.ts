/** Tests of what the result of an attempt does to its delivery, as a table; and of the breaker. */
import t from 'tap'
import type { SendOutcome, SendReply } from '../../../services/channels/channel.ts'
import { judge, later, quotaUntil } from '../../../services/channels/judging.ts'
import { type FailureKind, SendFailure } from '../../../services/delivery/failure.ts'
import type { Performed } from '../../../services/delivery/perform.ts'
import { Breaker } from '../../../services/notifier/breaker.ts'
import { delayAfter, judgeAttempt } from '../../../services/notifier/retrying.ts'
import type { DeliveryRow } from '../../../services/store/deliveries.ts'
import { joinSigns } from '../../../services/store/delivery-outcomes.ts'
import { deployment } from './channels.ts'

const NOW = 1_000_000_000_000
const HOUR = 3_600_000
const row = (over: Partial<DeliveryRow> = {}) =>
  ({ attempts: 1, ambiguous: 0, expires_at: NOW + 24 * HOUR, user_id: null, event: 'down', ...over }) as DeliveryRow
const performed = (result: SendOutcome | SendFailure): Performed => ({
  result: result instanceof SendFailure ? { outcome: 'unanswered', failure: result } : result,
  latency_ms: 1,
  status: null,
  reply: null,
  request: null,
  clean: (text) => text.replaceAll('s3cret', '[secret]')
})
const none = (kind: FailureKind, ambiguous = false) => new SendFailure(kind, 'no s3cret', ambiguous)
const moment = { now: NOW, random: 0.5 }
const usual = { max_ambiguous: null }
const sms = { max_ambiguous: 1 }
const retry = { outcome: 'retry', why: 'later' } as const

t.test('retry delays grow from 5 s to 2 h, vary by a fifth and respect Retry-After', async (t) => {
  const minutes = [5 / 60, 0.5, 2, 10, 30, 60, 120, 120, 120]
  t.same(
    minutes.map((_, nth) => delayAfter(nth + 1, 0.5) / 60_000),
    minutes
  )
  t.equal(delayAfter(1, 0), 4000)
  t.equal(delayAfter(1, 1), 6000)
  t.equal(delayAfter(1, 0.5, 60_000), 60_000, 'Retry-After')
  t.equal(delayAfter(1, 0.5, 5 * HOUR), HOUR, 'at most an hour of it')
  t.equal(delayAfter(4, 0.5, 1000), 600_000, 'never sooner than the schedule')
})

t.test('outcomes of an attempt', async (t) => {
  const cases: [string, DeliveryRow, typeof usual | typeof sms, SendOutcome | SendFailure, object][] = [
    [
      'accepted',
      row(),
      usual,
      { outcome: 'delivered', remote_ref: { ts: '1' } },
      { state: 'sent', outcome: 'accepted', remote_ref: { ts: '1' }, health: { ok: true } }
    ],
    ['confirmed', row(), usual, { outcome: 'delivered', confirmed: true }, { state: 'delivered' }],
    [
      'nothing to send',
      row(),
      usual,
      { outcome: 'skipped', why: 'no such event' },
      { state: 'suppressed', suppressed_by: 'preference', health: null }
    ],
    ['500', row(), usual, retry, { state: 'retrying', next_at: NOW + 5000, ambiguous: false, health: { ok: false, dead: false } }],
    [
      'the last in time',
      row({ expires_at: NOW + 4000 }),
      usual,
      retry,
      { state: 'expired', error_code: 'expired', health: { dead: true } }
    ],
    [
      'a quota',
      row(),
      usual,
      { ...retry, quota: true, after_ms: 7000 },
      { state: 'retrying', error_code: 'quota', health: { quota_until: NOW + 7000 } }
    ],
    ['the operator is at fault', row(), usual, { ...retry, operator: true }, { state: 'retrying', error_code: 'operator', health: null }],
    [
      "the operator's mail server is away",
      row(),
      usual,
      new SendFailure('network', 'no', false, true),
      { state: 'retrying', error_code: 'network', health: null }
    ],
    [
      'and stays away for too long',
      row({ expires_at: NOW + 4000 }),
      usual,
      new SendFailure('timeout', 'no', false, true),
      { state: 'expired', health: null }
    ],
    [
      'its certificate is not trusted',
      row(),
      usual,
      new SendFailure('tls_untrusted', 'no', false, true),
      { state: 'retrying', error_code: 'tls_untrusted', health: null }
    ],
    [
      'this message never',
      row(),
      usual,
      { outcome: 'permanent', why: '400', scope: 'delivery', user_text: 'no' },
      { state: 'failed', health: { disable: null } }
    ],
    [
      'gone',
      row(),
      usual,
      { outcome: 'permanent', why: '410', scope: 'channel', at_once: true, user_text: 'gone' },
      { state: 'failed', health: { disable: 'at_once' } }
    ],
    [
      '401',
      row(),
      usual,
      { outcome: 'permanent', why: '401', scope: 'channel', user_text: 'no' },
      { state: 'retrying', health: { disable: 'third' } }
    ],
    [
      'a page to a person that the target refuses',
      row({ user_id: 'jo', event: 'down' }),
      usual,
      { outcome: 'permanent', why: '403', scope: 'channel', user_text: 'no' },
      { state: 'failed', error_code: 'refused_channel' }
    ],
    [
      'another message to a person that the target refuses',
      row({ user_id: 'jo', event: 'digest' }),
      usual,
      { outcome: 'permanent', why: '403', scope: 'channel', user_text: 'no' },
      { state: 'retrying' }
    ],
    ['blocked', row(), usual, none('blocked_target'), { state: 'failed', outcome: 'blocked_target', ambiguous: false }],
    ['no connection', row(), usual, none('network'), { state: 'retrying', outcome: 'network', ambiguous: false, error: 'no [secret]' }],
    ['a cut', row(), usual, none('network', true), { state: 'retrying', ambiguous: true }],
    ['a time-out', row(), usual, none('timeout', true), { state: 'retrying', outcome: 'timeout', ambiguous: true }],
    ['SMS, a cut', row(), sms, none('network', true), { state: 'retrying', ambiguous: true }],
    ['SMS, a second cut', row({ ambiguous: 1, attempts: 2 }), sms, none('network', true), { state: 'failed', ambiguous: true }],
    ['SMS, no connection', row({ ambiguous: 1, attempts: 2 }), sms, none('network'), { state: 'retrying', ambiguous: false }]
  ]
  for (const [name, of, channel, result, expected] of cases) t.match(judgeAttempt(of, channel, performed(result), moment), expected, name)
})

t.test('a target is told nothing for at most 31 days, whatever it says', async (t) => {
  const most = NOW + 31 * 24 * HOUR
  const context = { now: NOW, attempt: 1, doubtful: false, deployment }
  const answer = (headers: Record<string, string>): SendReply => ({ status: 503, headers, body: '' })
  const outcomes: [string, SendOutcome, number][] = [
    ['a sum', judge(answer({ 'retry-after': '99999999999999' }), context), most],
    ['a Unix time', judge(answer({ 'retry-after': '1893456000' }), context), most],
    ['a date', judge(answer({ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }), context), most],
    ['a vendor’s own field', later(answer({}), NOW, Infinity), most],
    ['a quota of the vendor', quotaUntil(answer({}), 1e17, NOW), most],
    ['a day', judge(answer({ 'retry-after': '86400' }), context), NOW + 24 * HOUR]
  ]
  for (const [name, outcome, quota_until] of outcomes) {
    const { health } = judgeAttempt(row(), usual, performed(outcome), moment)
    t.match(health, { quota_until }, name)
    t.equal(joinSigns(health ? [health] : []).quota_until, new Date(quota_until).toISOString())
  }
})

t.test('only the failures after the last success of a channel count in a batch', async (t) => {
  const ok = { ok: true, error: null, disable: null, dead: false, quota_until: null }
  const bad = { ...ok, ok: false, error: 'x', dead: true, disable: 'third' as const }
  t.match(joinSigns([bad, bad, ok]), { ok: true, fails: 0, dead: 0, refused: 0, unbroken: false })
  t.match(joinSigns([ok, bad, bad]), { ok: true, fails: 2, dead: 2, refused: 2, unbroken: false, error: 'x' })
  t.match(joinSigns([bad, bad]), { fails: 2, refused: 2, unbroken: true })
  t.match(joinSigns([bad, { ...bad, disable: null }, bad]), { fails: 3, refused: 1, unbroken: false })
  t.match(joinSigns([bad]), { ok: false, fails: 1, at_once: false })
})

t.test('the breaker stops calling a target that does not answer, longer each time', async (t) => {
  const breaker = new Breaker()
  for (let nth = 0; nth < 4; nth++) breaker.failed('x', nth)
  t.notOk(breaker.rests('x', 10))
  breaker.failed('x', 10)
  t.ok(breaker.rests('x', 15_009))
  t.same(breaker.resting(11), ['x'])
  t.notOk(breaker.rests('x', 15_010))
  breaker.failed('x', 15_010)
  t.ok(breaker.rests('x', 45_009), 'twice as long')
  breaker.answered('x')
  t.notOk(breaker.rests('x', 15_011))
})
