/**
 * Tests when people are notified of a certificate, and when that state is over. Each row is a
 * sentence.
 */
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { type CertificateTelling, expiryIntents, overIntents } from '../../../streams/reach/certificate-intents.ts'
import { type CertificateStep, certificateStep, passedThreshold, type ToldCertificate } from '../../../streams/reach/certificates.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-01-05T09:00:00Z')
const usual = [30, 14, 7, 3, 1]
const ends = (left: number): number => NOW + left * DAY
const tell = (days: number): CertificateStep => ({ tell: days })

t.test('the smallest certificate threshold that has passed', async (t) => {
  const rows: [left: number, thresholds: number[], passed: number | null][] = [
    [30.1, usual, null],
    [30, usual, 30],
    [14.5, usual, 30],
    [6, usual, 7],
    [3, usual, 3],
    [0.2, usual, 1],
    [0, usual, 0],
    [-5, usual, 0],
    [5, [], null],
    [-5, [], null],
    [5, [1], null]
  ]
  for (const [left, thresholds, passed] of rows)
    t.equal(passedThreshold(ends(left), thresholds, NOW), passed, `${left} days left of ${thresholds.join(', ') || 'none'}`)
})

t.test('when a certificate notification is sent and when its state ends', async (t) => {
  const of = (left: number, threshold: number): ToldCertificate => ({ not_after: ends(left), threshold })
  const rows: [said: string, left: number | null, told: ToldCertificate | null, step: CertificateStep | null, over?: object][] = [
    ['a good one', 80, null, null],
    ['a new one with 6 days left: by the smallest threshold alone', 6, null, tell(7)],
    ['the same once more', 6, of(6, 7), null],
    ['three days later', 2.9, of(2.9, 7), tell(3)],
    ['its end', -0.1, of(-0.1, 1), tell(0)],
    ['after its end', -3, of(-3, 0), null],
    ['a threshold was taken away that was told', 6, of(6, 7), null, { thresholds: [30, 14] }],
    ['a threshold was added between', 6, of(6, 7), null, { thresholds: [30, 14, 10, 7] }],
    ['a smaller one was added that is passed', 6, of(6, 7), tell(6), { thresholds: [7, 6] }],
    ['renewed', 90, of(6, 7), { over: 'renewed' }],
    ['renewed by one that ends soon as well', 12, of(2, 3), tell(14)],
    ['renewed while paused', 90, of(6, 7), null, { paused: true }],
    ['one of a paused monitor', 6, null, null, { paused: true }],
    ['its monitor is deleted', 6, of(6, 7), { over: 'unwatched' }, { watched: false }],
    ['nobody wants to be told any more', 6, of(6, 7), { over: 'unwatched' }, { thresholds: [] }],
    ['none is seen any more', null, of(6, 7), { over: 'unwatched' }],
    ['none was ever seen', null, null, null]
  ]
  for (const [said, left, told, step, over] of rows) {
    const seen = { not_after: left === null ? null : ends(left), thresholds: usual, watched: true, paused: false, ...over }
    t.same(certificateStep(seen, told, NOW), step, said)
  }
})

t.test('the channels that receive a certificate notification', async (t) => {
  const channel = { kind: 'webhook', events: ['ssl_expiry' as const], min_severity: 'info', works: true, may_hear: true }
  const telling: CertificateTelling = {
    tenant_id: '0198e000-0000-7000-8000-000000000001',
    workspace: { name: 'Acme', slug: 'acme' },
    certificate: {
      event_id: '0198e000-0000-7000-8000-000000000002',
      monitor: {
        id: '0198e000-0000-7000-8000-000000000003',
        name: 'shop',
        type: 'http',
        target: 'https://shop.test/',
        tags: [],
        labels: {}
      },
      host: 'shop.test',
      issuer: null,
      not_after: ends(6),
      days_left: 6,
      threshold_days: 7
    },
    own_channels: false,
    channels: [
      { ...channel, channel_id: 'wants' },
      { ...channel, channel_id: 'other events', events: ['down', 'up'] },
      { ...channel, channel_id: 'warnings', min_severity: 'warning' },
      { ...channel, channel_id: 'critical alone', min_severity: 'critical' },
      { ...channel, channel_id: 'off', works: false },
      { ...channel, channel_id: 'another team', may_hear: false }
    ],
    team_id: null,
    visibility: 'org',
    at: NOW,
    uuidv5
  }
  const heard = expiryIntents(telling).map(({ target, suppressed_by, event }) => [
    'channel_id' in target ? target.channel_id : '',
    event,
    suppressed_by
  ])
  t.same(heard, [
    ['wants', 'ssl_expiry', null],
    ['warnings', 'ssl_expiry', null],
    ['off', 'ssl_expiry', 'disabled'],
    ['another team', 'ssl_expiry', 'not_visible']
  ])
  const [one] = expiryIntents(telling)
  t.match(one, { incident_id: null, why: { by: 'default_channel', threshold_days: 7 }, expires_at: NOW + DAY })
  t.same(expiryIntents(telling)[0], one, 'deciding again decides the same')
  t.match(expiryIntents({ ...telling, own_channels: true })[0], { why: { by: 'rule' } })

  const closed = overIntents({ ...telling, channels: telling.channels.slice(0, 2) }, 'renewed')
  t.match(
    closed,
    [1, 2].map(() => ({ event: 'up', why: { by: 'told_before' }, said: { title: 'The certificate of shop is renewed' } })),
    'whatever events it wants: it was told of what is over'
  )
})
