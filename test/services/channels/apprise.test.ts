/**
 * Tests of Apprise: with a key, with target addresses or with neither, and the meaning of the
 * gateway's statuses.
 */
import t from 'tap'
import { channel as apprise } from '../../../services/channels/kinds/apprise.ts'
import { acknowledged, context, drive, hostile, httpOf, incident, json, message, reply, short, test, up } from './messages.ts'
import { verdicts } from './verdicts.ts'

const api_url = 'https://apprise.example.com/api'
const KEYED = { api_url, config_key: 'operations' }
const TARGETS = { api_url, apprise_urls: 'tgram://secret-1/2, json://host/a,b' }
const ok = reply(200, { error: null, details: [] })

t.test('requests to Apprise with a key, with target addresses, and with neither', async (t) => {
  const keyed = drive(apprise, message(), KEYED, [ok])
  t.match(httpOf(keyed.requests[0]), { url: `${api_url}/notify/operations`, guarded: true, secrets: [] })
  t.same(Object.keys(json(keyed.requests[0])), ['title', 'body', 'type', 'format'])
  t.match(json(keyed.requests[0]), {
    title: '[CRITICAL] api.example.com is down',
    body: /^HTTP 503\n[\s\S]*\nhttps:\/\/app\.example\.com\/incidents\/42$/,
    type: 'failure',
    format: 'text'
  })
  const targets = drive(apprise, message(), TARGETS, [ok])
  t.equal(httpOf(targets.requests[0]).url, `${api_url}/notify/`)
  t.equal(json(targets.requests[0]).urls, 'tgram://secret-1/2,json://host/a,b', 'a comma within an address stays')
  t.same(httpOf(targets.requests[0]).secrets, [TARGETS.apprise_urls, 'tgram://secret-1/2', 'json://host/a,b'], 'each may come back')
  const own = drive(apprise, message(), { api_url }, [ok])
  t.notOk('urls' in json(own.requests[0]))
})

t.test('types of Apprise notifications', async (t) => {
  const types: [what: Parameters<typeof drive>[1], type: string][] = [
    [message({ incident: incident({ severity: 'warning' }) }), 'warning'],
    [message({ incident: incident({ severity: 'info' }) }), 'info'],
    [acknowledged(), 'info'],
    [up(), 'success'],
    [test(), 'info']
  ]
  for (const [what, type] of types) t.equal(json(drive(apprise, what, KEYED, [ok]).requests[0]).type, type)
  const bad = json(drive(apprise, hostile(), KEYED, [ok]).requests[0])
  t.ok([...bad.title].length <= 250 && [...bad.body].length < 11_000)
})

t.test('answers of Apprise and their outcomes', async (t) => {
  verdicts(t, apprise, KEYED, [
    [ok, 'delivered'],
    [reply(200, 'Notification(s) sent.'), 'delivered'],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(200, { error: 'no' }), 'retry', { ambiguous: true }],
    [reply(204), 'permanent channel'],
    [reply(400), 'permanent delivery'],
    [reply(403), 'permanent channel'],
    [reply(405), 'permanent delivery'],
    [reply(413), 'permanent delivery'],
    [reply(421), 'permanent channel'],
    [reply(424, { error: 'One or more notification could not be sent' }), 'retry', { ambiguous: true }],
    [reply(431), 'permanent delivery'],
    [reply(500), 'retry']
  ])
  const again = drive(apprise, message(), KEYED, [reply(424)], { at: context({ attempt: 2 }) })
  t.equal(short(again.outcome), 'permanent delivery', 'some were told twice by now')
})

t.test('accepted, refused and normalised settings of Apprise', async (t) => {
  t.equal(apprise.check?.(KEYED), null)
  t.equal(apprise.check?.(TARGETS), null)
  t.equal(apprise.check?.({ api_url }), null)
  t.match(apprise.check?.({ ...KEYED, ...TARGETS }), { rule: 'mutually_exclusive' })
  t.match(apprise.check?.(KEYED, ['apprise_urls']), { rule: 'mutually_exclusive' }, 'also beside targets that stay')
  t.equal(apprise.check?.({ api_url }, ['apprise_urls']), null)
  for (const apprise_urls of ['nobody', ' , ', 'json://a b', Array(51).fill('json://a').join(',')])
    t.match(apprise.check?.({ api_url, apprise_urls }), { path: 'apprise_urls' }, apprise_urls.slice(0, 20))
  t.match(apprise.check?.({ api_url: 'https://a.example/?x' }), { path: 'api_url' })
  t.same(apprise.normalise?.({ api_url: 'https://a.example/notify/' }), { api_url: 'https://a.example' })
  t.same([apprise.target(KEYED), apprise.target(TARGETS)], ['apprise.example.com/operations', 'apprise.example.com'])
})
