/**
 * Complete attempts against fakes of both push vendors, which check every request and every token
 * as the real vendors do.
 */
import t, { type Test } from 'tap'
import { channel } from '../../../services/channels/kinds/push.ts'
import { createHttpSender } from '../../../services/delivery/http.ts'
import { performAttempt } from '../../../services/delivery/perform.ts'
import { createAddressGuard } from '../../../services/http/address-guard.ts'
import { createResolver } from '../../../services/http/resolve.ts'
import { APNS, FCM, fakeApns, fakeFcm, pushDeployment } from '../../harness/push-vendors.ts'
import { acknowledged, DELIVERY, deployment, hostile, message, test, up } from '../channels/messages.ts'
import { certificate } from '../prober/stand.ts'

const IOS = { name: 'Phone', platform: 'ios', push_token: 'ab'.repeat(32), registered_at: 1 } as const
const ANDROID = { name: 'Phone', platform: 'android', push_token: `fcm:${'A'.repeat(140)}`, registered_at: 1 } as const

async function vendors(t: Test) {
  const pair = certificate(t)
  const [apns, fcm] = [await fakeApns(t, pair), await fakeFcm(t, pair)]
  const guard = createAddressGuard({ open: [], closed: [], own: [] })
  const http = createHttpSender({ guard, resolve: createResolver(), allowHttp: false, ca: pair.cert })
  t.teardown(() => http.close())
  const set = { ...deployment, ...pushDeployment(apns, fcm) }
  const push = (device: typeof IOS | typeof ANDROID, what = message(), over: Partial<typeof set> = {}) =>
    performAttempt(
      { http, mail: null },
      {
        channel: channel as never,
        message: what,
        config: device,
        secrets: [device.push_token],
        remote_ref: null,
        attempt: 1,
        deployment: { ...set, ...over }
      }
    )
  return { apns, fcm, push }
}

t.test('both push vendors accept every kind of message', async (t) => {
  const { apns, fcm, push } = await vendors(t)
  for (const what of [message(), up(), acknowledged(), test(), hostile(), up({ combined: true })])
    for (const device of [IOS, ANDROID]) {
      const { result, reply } = await push(device, what)
      t.match(result, { outcome: 'delivered', provider_message_id: String }, `${device.platform} ${what.event}: ${reply}`)
    }
  t.equal(apns.pushed[0]?.headers['apns-id'], DELIVERY)
  t.same([apns.sessions, fcm.sessions], [1, 1], 'a connection each')
})

t.test('push tokens are shared and reused until the vendor refuses them', async (t) => {
  const { apns, fcm, push } = await vendors(t)
  const all = await Promise.all(Array.from({ length: 40 }, (_, nth) => push(nth % 2 ? IOS : ANDROID)))
  t.ok(all.every(({ result }) => result.outcome === 'delivered'))
  t.equal(fcm.asked, 1, 'one access token')
  t.equal(apns.providerTokens.size, 1, 'one token of the provider')
  fcm.accessTokens.clear()
  t.match((await push(ANDROID)).result, { outcome: 'delivered' }, 'another one is asked for')
  t.equal(fcm.asked, 2)
})

t.test('refusals of the push vendors and their outcomes', async (t) => {
  const { apns, fcm, push } = await vendors(t)
  apns.gone.set(IOS.push_token, Date.now())
  fcm.gone.add(ANDROID.push_token)
  const dead = { outcome: 'permanent', scope: 'channel', at_once: true }
  for (const device of [IOS, ANDROID]) t.match((await push(device)).result, dead, device.platform)
  t.match((await push({ ...IOS, push_token: 'abcd' } as never)).result, dead, 'no token of Apple')
  t.match((await push({ ...ANDROID, push_token: 'short' } as never)).result, dead, 'no token of Google')
  apns.gone.set(IOS.push_token, 0)
  t.match((await push(IOS)).result, { outcome: 'retry' }, 'the app came back later')
  apns.gone.clear()
  fcm.gone.clear()
  fcm.strange.add(ANDROID.push_token)
  t.match((await push(ANDROID)).result, dead, 'of another project')
  fcm.strange.clear()
  const operator = { outcome: 'retry', operator: true }
  t.match((await push(IOS, message(), { apns: { ...APNS, team_id: 'TEAM999999' } })).result, operator)
  t.match((await push(IOS, message(), { apns: { ...APNS, key_id: 'KEY9999999' } })).result, operator)
  t.match((await push(IOS, message(), { apns: { ...APNS, topic: 'com.example.other' } })).result, operator)
  t.match((await push(ANDROID, message(), { fcm: { ...FCM, client_email: 'other@example.com' } })).result, operator)
  t.match((await push(ANDROID, message(), { fcm: { ...FCM, project_id: 'other-1234' } })).result, operator)
  apns.faults.push({ status: 503, body: { reason: 'ServiceUnavailable' } })
  t.match((await push(IOS)).result, { outcome: 'retry' })
  t.equal(apns.pushed.length + fcm.pushed.length, 0)
})

t.test('a GOAWAY of Apple loses no push', async (t) => {
  const { apns, push } = await vendors(t)
  t.match((await push(IOS)).result, { outcome: 'delivered' })
  apns.goodbye()
  const all = await Promise.all(Array.from({ length: 10 }, () => push(IOS)))
  t.ok(all.every(({ result }) => result.outcome === 'delivered'))
  t.equal(apns.sessions, 2)
})

t.test('stored requests and answers contain no push token and no key', async (t) => {
  const { apns, fcm, push } = await vendors(t)
  fcm.faults.push({ status: 400, body: { said: `${ANDROID.push_token} ya29.access-token-1` } })
  const kept = [await push(IOS), await push(ANDROID), await push(ANDROID)]
  const text = JSON.stringify(kept.map(({ request, reply, result, clean }) => [request, reply, clean(JSON.stringify(result))]))
  for (const secret of [IOS.push_token, ANDROID.push_token, ...fcm.accessTokens, ...apns.providerTokens, 'BEGIN PRIVATE KEY'])
    t.notMatch(text, secret)
  t.match(kept[0]?.request, { url: `${apns.url}/3/device/[secret]`, headers: { authorization: '[secret]' } })
})
