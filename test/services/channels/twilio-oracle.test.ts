/**
 * Uses Twilio's own library as an oracle: it sends the same requests to the same server as our
 * code, and both are accepted or refused alike.
 */
import t from 'tap'
import twilio from 'twilio'
import type { SendContext } from '../../../services/channels/channel.ts'
import { channel as sms } from '../../../services/channels/kinds/sms.ts'
import { channel as voice } from '../../../services/channels/kinds/voice.ts'
import { codeRequest } from '../../../services/channels/telephony.ts'
import { performAttempt } from '../../../services/delivery/perform.ts'
import { ACCOUNT, AUTH_TOKEN, FROM, fakeTwilio, isTwiml } from '../../harness/twilio.ts'
import { localSenders } from '../notifier/channels.ts'
import { deployment as base, hostile, message, test } from './messages.ts'

const TO = '+4915112345678'
const deploymentAt = (url: string) => ({
  ...base,
  base_urls: { twilio: url },
  twilio: { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
})

t.test("our requests equal those of Twilio's library", async (t) => {
  const fake = await fakeTwilio(t)
  const senders = localSenders()
  t.teardown(() => senders.http.close())
  const client = twilio(ACCOUNT, AUTH_TOKEN)
  client.api.baseUrl = fake.url
  const deployment = deploymentAt(fake.url)
  const attempt = (channel: typeof sms, over = {}) =>
    performAttempt(senders, {
      channel: channel as never,
      message: message({ reply_code: '1A2B', ...over }),
      config: { number: TO },
      secrets: [],
      remote_ref: null,
      attempt: 1,
      deployment
    })

  t.match((await attempt(sms)).result, { outcome: 'delivered', provider_message_id: /^SM/ })
  const ours = fake.sent.at(-1)
  const fields = Object.fromEntries(ours?.form ?? [])
  await client.messages.create({
    to: TO,
    from: FROM,
    body: fields.Body ?? '',
    statusCallback: fields.StatusCallback ?? '',
    validityPeriod: 3600,
    smartEncoded: true
  })
  const theirs = fake.sent.at(-1)
  const shape = (sent = ours) => ({ path: sent?.path, authorization: sent?.authorization, form: [...(sent?.form ?? [])].sort() })
  t.equal(fake.sent.length, 2)
  t.same(shape(ours), shape(theirs), 'a text message')

  t.match((await attempt(voice)).result, { outcome: 'delivered', provider_message_id: /^CA/ })
  const call = fake.sent.at(-1)
  await client.calls.create({
    to: TO,
    from: FROM,
    twiml: call?.text ?? '',
    statusCallback: call?.callback ?? '',
    statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
    timeout: 30
  })
  t.same(shape(call), shape(fake.sent.at(-1)), 'a call')

  const context: SendContext = { now: 0, attempt: 1, doubtful: false, deployment }
  const code = codeRequest('voice', TO, '012345', context)
  t.ok(code && (await senders.http.send(code)).status === 201, 'a code by a call')
  t.match(fake.sent.at(-1)?.text, /0, 1, 2, 3, 4, 5/)
})

t.test("our sender and Twilio's library are refused for the same reasons", async (t) => {
  const fake = await fakeTwilio(t)
  const senders = localSenders()
  t.teardown(() => senders.http.close())
  const strange = twilio(ACCOUNT, 'another-token')
  strange.api.baseUrl = fake.url
  await t.rejects(strange.messages.create({ to: TO, from: FROM, body: 'x' }), { code: 20003, status: 401 })
  const client = twilio(ACCOUNT, AUTH_TOKEN)
  client.api.baseUrl = fake.url
  await t.rejects(client.messages.create({ to: TO, from: '+12025550199', body: 'x' }), { code: 21659 })
  const bad = {
    ...deploymentAt(fake.url),
    twilio: { account_sid: ACCOUNT, credential: `${ACCOUNT}:x`, from: FROM, messaging_service_sid: null }
  }
  const input = { channel: sms as never, message: test(), config: { number: TO }, secrets: [], remote_ref: null, attempt: 1 }
  t.match((await performAttempt(senders, { ...input, deployment: bad })).result, { outcome: 'retry', operator: true })
  fake.stopped.add(TO)
  await t.rejects(client.messages.create({ to: TO, from: FROM, body: 'x' }), { code: 21610 })
  t.match((await performAttempt(senders, { ...input, deployment: deploymentAt(fake.url) })).result, {
    outcome: 'permanent',
    scope: 'channel',
    user_text: /STOP/
  })
})

t.test('a call speaks valid TwiML, whatever text people wrote', async (t) => {
  const fake = await fakeTwilio(t)
  const senders = localSenders()
  t.teardown(() => senders.http.close())
  const input = {
    channel: voice as never,
    config: { number: TO },
    secrets: [],
    remote_ref: null,
    attempt: 1,
    deployment: deploymentAt(fake.url)
  }
  for (const one of [message(), hostile({ reply_code: 'ABCD' }), test()])
    t.match((await performAttempt(senders, { ...input, message: one })).result, { outcome: 'delivered' })
  const { VoiceResponse } = twilio.twiml
  const spoken = new VoiceResponse()
  spoken.gather({ input: ['dtmf'], numDigits: 1 }).say(`a < b & "c" 'd'`)
  t.ok(isTwiml(spoken.toString().replace(/^<\?xml[^>]*>/, '')), "and the library's own is taken by the same reader")
})
