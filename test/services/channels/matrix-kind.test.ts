/** Tests of Matrix: requests as in its specification, and the meaning of a server's answers. */
import t from 'tap'
import { channel as matrix } from '../../../services/channels/kinds/matrix.ts'
import { acknowledged, DELIVERY, drive, hostile, httpOf, json, message, reply, test, up } from './messages.ts'
import { faults, verdicts } from './verdicts.ts'

const CONFIG = { homeserver_url: 'https://matrix.example.org', access_token: 'syt_bot_secret', room_id: '!room:example.org' }
const REF = { event_id: '$first', room_id: '!room:example.org' }
const ROOT = 'https://matrix.example.org/_matrix/client/v3'
const SEND = `${ROOT}/rooms/!room%3Aexample.org/send/m.room.message`
const versions = reply(200, { versions: ['r0.6.1', 'v1.1', 'v1.11'] })
const made = (event_id: string) => reply(200, { event_id })
const error = (status: number, errcode: string, more: object = {}, headers: Record<string, string> = {}) =>
  reply(status, { errcode, error: 'no', ...more }, headers)

t.test('a Matrix message is posted, edited, and followed by a new one at the end', async (t) => {
  const { requests, outcome } = drive(matrix, message(), CONFIG, [versions, made('$first')])
  const [asked, sent] = requests.map(httpOf)
  t.match(asked, { method: 'GET', url: 'https://matrix.example.org/_matrix/client/versions', body: null, guarded: true })
  t.notOk(asked && 'authorization' in asked.headers, 'nobody is told the token who may be no homeserver')
  t.match(sent, { method: 'PUT', url: `${SEND}/${DELIVERY}`, headers: { authorization: 'Bearer syt_bot_secret' }, guarded: true })
  t.same(sent?.secrets, ['syt_bot_secret'])
  t.match(json(sent), {
    msgtype: 'm.text',
    body: /^\[CRITICAL\] api\.example\.com is down\nHTTP 503\n/,
    format: 'org.matrix.custom.html',
    formatted_body:
      /^<b>\[CRITICAL\] api\.example\.com is down<\/b><br>HTTP 503<br>.*<a href="https:\/\/app\.example\.com\/incidents\/42">/,
    'm.mentions': {}
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: '$first', remote_ref: { ...REF, wanted: CONFIG.room_id } })

  const edited = drive(matrix, acknowledged(), CONFIG, [versions, made('$edit')], { ref: REF })
  t.equal(httpOf(edited.requests[1]).url, `${SEND}/${DELIVERY}-edit`)
  t.match(json(edited.requests[1]), {
    body: /^\* \[ACK\]/,
    'm.new_content': { msgtype: 'm.text', body: /^\[ACK\]/ },
    'm.relates_to': { rel_type: 'm.replace', event_id: '$first' }
  })
  t.same(edited.outcome, { outcome: 'delivered' })
  const ended = drive(matrix, up(), CONFIG, [versions, made('$edit'), made('$end')], { ref: REF })
  t.match(json(ended.requests[2]), { body: /up again/, 'm.relates_to': { 'm.in_reply_to': { event_id: '$first' } } })
  t.same(ended.outcome, { outcome: 'delivered', provider_message_id: '$end' })
  t.match(json(drive(matrix, test(), CONFIG, [versions, made('$t')]).requests[1]), { msgtype: 'm.notice' })
})

t.test('a degraded monitor has one Matrix message, which changes when it gets worse', async (t) => {
  t.match(drive(matrix, message({ event: 'degraded' }), CONFIG, [versions, made('$first')]).outcome, { remote_ref: REF })
  const worse = drive(matrix, message(), CONFIG, [versions, made('$edit'), made('$answer')], { ref: REF })
  t.match(json(worse.requests[1]), { body: /^\* \[CRITICAL\]/, 'm.relates_to': { event_id: '$first' } })
  t.match(json(worse.requests[2]), { 'm.relates_to': { 'm.in_reply_to': { event_id: '$first' } } })
  t.same(worse.outcome, { outcome: 'delivered', provider_message_id: '$answer' }, 'the first message stays the one that changes')
})

t.test('a Matrix message that cannot be edited, or is in another room, is posted again', async (t) => {
  const refused = drive(matrix, acknowledged(), CONFIG, [versions, error(400, 'M_UNKNOWN'), made('$new')], { ref: REF })
  t.notOk('m.relates_to' in json(refused.requests[2]))
  t.match(refused.outcome, { outcome: 'delivered', provider_message_id: '$new' })
  const other = drive(matrix, acknowledged(), { ...CONFIG, room_id: '!other:example.org' }, [versions, made('$new')], { ref: REF })
  t.match(httpOf(other.requests[1]).url, '!other%3Aexample.org')
  const named = { ...CONFIG, room_id: '#ops:example.org' }
  const byName = { ...REF, wanted: named.room_id }
  t.same(drive(matrix, acknowledged(), named, [versions, made('$edit')], { ref: byName }).outcome, { outcome: 'delivered' })
  const renamed = { ...CONFIG, room_id: '#sre:example.org' }
  const moved = drive(matrix, acknowledged(), renamed, [versions, reply(200, { room_id: '!sre:example.org' }), made('$new')], {
    ref: byName
  })
  t.match(httpOf(moved.requests[2]).url, '!sre%3Aexample.org')
})

t.test('the Matrix homeserver is found by its address or by its well-known file', async (t) => {
  const site = { ...CONFIG, homeserver_url: 'https://example.org' }
  const known = reply(200, { 'm.homeserver': { base_url: 'https://matrix.example.org/' } })
  const found = drive(matrix, message(), site, [reply(404, '<html>'), known, made('$1')])
  t.equal(httpOf(found.requests[1]).url, 'https://example.org/.well-known/matrix/client')
  t.match(httpOf(found.requests[2]), { url: `${SEND}/${DELIVERY}`, guarded: true })
  for (const told of [reply(404), reply(200, '<html>'), reply(200, { 'm.homeserver': { base_url: 'file:///etc' } })])
    t.match(drive(matrix, message(), site, [reply(404), told]).outcome, { outcome: 'permanent', scope: 'channel' })
  t.match(drive(matrix, message(), site, [reply(503)]).outcome, { outcome: 'retry' })
  const old = drive(matrix, message(), CONFIG, [reply(200, { versions: ['r0.5.0', 'r0.6.1'] }), made('$1')])
  t.match(httpOf(old.requests[1]).url, '/_matrix/client/r0/rooms/')
})

t.test('a Matrix room is found by its name, and an invitation is accepted', async (t) => {
  const named = { ...CONFIG, room_id: '#ops:example.org' }
  const { requests, outcome } = drive(matrix, message(), named, [versions, reply(200, { room_id: REF.room_id, servers: [] }), made('$1')])
  t.equal(httpOf(requests[1]).url, `${ROOT}/directory/room/%23ops%3Aexample.org`)
  t.equal(httpOf(requests[2]).url, `${SEND}/${DELIVERY}`)
  t.match(outcome, { remote_ref: { room_id: REF.room_id } })
  t.match(drive(matrix, message(), named, [versions, error(404, 'M_NOT_FOUND')]).outcome, { outcome: 'permanent', scope: 'channel' })

  const outside = error(403, 'M_FORBIDDEN')
  const invited = drive(matrix, message(), CONFIG, [versions, outside, reply(200, { room_id: REF.room_id }), made('$1')])
  t.match(httpOf(invited.requests[2]), { method: 'POST', url: `${ROOT}/join/!room%3Aexample.org` })
  t.equal(httpOf(invited.requests[3]).url, httpOf(invited.requests[1]).url, 'the same transaction')
  t.match(invited.outcome, { outcome: 'delivered' })
  t.match(drive(matrix, message(), CONFIG, [versions, outside, outside]).outcome, { outcome: 'permanent', scope: 'channel' })
  const silenced = drive(matrix, message(), CONFIG, [versions, outside, reply(200, { room_id: REF.room_id }), outside])
  t.match(silenced.outcome, { outcome: 'permanent', scope: 'channel' }, 'in the room, and not allowed to write')
})

t.test('hostile text stays text in Matrix, within the size of an event', async (t) => {
  const edited = drive(matrix, { ...hostile(), event: 'acknowledged', actor: 'x' }, CONFIG, [versions, made('$1')], { ref: REF })
  for (const request of [drive(matrix, hostile(), CONFIG, [versions, made('$1')]).requests[1], edited.requests[1]]) {
    t.ok(Buffer.byteLength(httpOf(request).body ?? '') <= 40_000)
    t.same(new Set(json(request).formatted_body.match(/<\/?[a-z!]+/g)), new Set(['<b', '</b', '<br', '<a', '</a']))
  }
})

t.test('answers of Matrix and their outcomes', async (t) => {
  verdicts(
    t,
    matrix,
    CONFIG,
    [
      [made('$1'), 'delivered'],
      [reply(200, {}), 'retry', { ambiguous: true }],
      [reply(200, '<html>'), 'retry', { ambiguous: true }],
      [error(400, 'M_BAD_JSON'), 'permanent delivery'],
      [error(401, 'M_UNKNOWN_TOKEN'), 'permanent channel'],
      [error(401, 'M_MISSING_TOKEN'), 'permanent channel'],
      [error(403, 'M_USER_DEACTIVATED'), 'permanent channel'],
      [error(403, 'M_RESOURCE_LIMIT_EXCEEDED'), 'retry'],
      [error(404, 'M_NOT_FOUND'), 'permanent channel'],
      [error(404, 'M_UNRECOGNIZED'), 'permanent channel'],
      [reply(404, '<html>'), 'permanent channel'],
      [reply(410), 'permanent channel at once'],
      [error(413, 'M_TOO_LARGE'), 'permanent delivery'],
      [error(429, 'M_LIMIT_EXCEEDED', {}, { 'retry-after': '4' }), 'retry', { after_ms: 4000 }],
      [error(429, 'M_LIMIT_EXCEEDED', { retry_after_ms: 2500 }), 'retry', { after_ms: 2500 }],
      [error(500, 'M_UNKNOWN'), 'retry'],
      [reply(502, '<html>'), 'retry']
    ],
    [versions]
  )
})

t.test('accepted, refused and normalised settings of Matrix', async (t) => {
  faults(t, matrix, [
    [CONFIG, null],
    [{ ...CONFIG, homeserver_url: 'matrix.example.org' }, null],
    [{ ...CONFIG, room_id: '!noserver' }, null],
    [{ ...CONFIG, room_id: '#ops:example.org' }, null],
    [{ ...CONFIG, access_token: 'two words' }, 'format'],
    [{ ...CONFIG, room_id: 'ops' }, 'format'],
    [{ ...CONFIG, room_id: '#ops' }, 'format'],
    [{ ...CONFIG, homeserver_url: 'https://matrix.example.org/_matrix/client' }, 'format'],
    [{ ...CONFIG, homeserver_url: 'https://user:pass@matrix.example.org' }, 'format'],
    [{ ...CONFIG, homeserver_url: 'https://matrix.example.org/?a=b' }, 'format']
  ])
  t.equal(matrix.normalise?.({ ...CONFIG, homeserver_url: 'matrix.example.org/' }).homeserver_url, 'https://matrix.example.org')
  t.equal(matrix.target(CONFIG), '!room:example.org at matrix.example.org')
})
