/**
 * Tests of the service's own Telegram bot. When the api starts, it tells Telegram where to call.
 * People who link themselves to the bot are notified in private and can act there until they
 * unlink.
 */
import t from 'tap'
import { startRegistering } from '../../../services/api/chat/registering.ts'
import { buttonData, hookSecret, operatorHook, TELEGRAM_DOOR } from '../../../services/channels/telegram-hook.ts'
import { until } from '../../harness/until.ts'
import { contract } from '../channels/contracts/telegram.ts'
import { as, person } from './people.ts'
import { SECRETS_KEY } from './stand.ts'
import { bodiesOf, button, hookOf, message, PUBLIC_URL, pairUp, saidBy, telegram, told } from './telegramming.ts'

const BOT = 'acme_123456789_bot'
const TOKEN = '123456789:AAfirstCCddEEffGGhhIIjjKKllMMnnOOpp'
const PREFERENCES = '/api/v1/notifications/preferences'
const own = { telegramBotToken: TOKEN, telegramBotName: BOT }
const hook_id = operatorHook(SECRETS_KEY, '123456789')
const HOOK = { path: `${TELEGRAM_DOOR}/${hook_id}`, secret: hookSecret(SECRETS_KEY, hook_id) }

t.test('every api process registers the same webhook when it starts', async (t) => {
  const d = await telegram(t, {}, own)
  const stops = [startRegistering(d.s.services, [0]), startRegistering(d.s.services, [0])]
  await until('both are done', () => saidBy(d).filter((said) => said === 'commands').length === 2 || null)
  await Promise.all(stops.map((stop) => stop()))
  t.same(hookOf(d), HOOK)
  const [first, second] = bodiesOf(d, 'setWebhook')
  t.same(first, second)
  t.match(first, { url: `${PUBLIC_URL}${HOOK.path}` })

  const none = await telegram(t)
  await startRegistering(none.s.services, [0])()
  const local = await telegram(t, {}, { ...own, publicUrl: 'http://127.0.0.1:8080' })
  await startRegistering(local.s.services, [0])()
  t.same([saidBy(none), saidBy(local)], [[], []], 'without a bot, or without an address that is called, nobody is asked')
})

t.test('a linked person gets private messages from the bot and acts there', async (t) => {
  const d = await telegram(t, {}, own)
  const { s, server } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  t.match((await as(s, jo, 'GET', '/api/v1/chat/identities')).json(), { bots: [{ name: BOT }] })
  t.match(await pairUp(d, HOOK, jo, 77, BOT), { text: /^You act as jo from now on\./ })
  const { contact_methods, version } = (await as(s, jo, 'GET', PREFERENCES)).json()
  const method = contact_methods.find(({ kind }: { kind: string }) => kind === 'telegram')
  t.match(method, { address: '77', verified_at: String })

  server.play(contract.vendor({ bot_token: TOKEN, chat_id: '77' }, server.url), null)
  const test = await as(s, jo, 'POST', `/api/v1/notifications/methods/${method.id}/test`)
  t.match(test.json(), { ok: true })
  t.match(bodiesOf(d, 'sendMessage'), [{ chat_id: '77' }])
  t.notOk(test.body.includes(TOKEN))

  const put = (body: object) => as(s, jo, 'PUT', PREFERENCES, body)
  const kept = contact_methods.map(({ id, kind, address }: Record<string, string>) => ({ id, kind, address }))
  const rules = { default: [{ method_id: method.id, delay_seconds: 0 }], high: [] }
  t.match((await put({ contact_methods: kept, rules })).json(), { rules, version: version + 1 })
  t.match((await put({ contact_methods: [...kept, { kind: 'telegram', address: '78' }] })).json(), {
    details: [{ path: `contact_methods[${kept.length}].kind`, rule: 'enum', message: /linking oneself/ }]
  })

  const { incident_id } = await s.incident(s.acme)
  const theirs = await person(s, s.globex, 'theirs', 'owner')
  t.match(await pairUp(d, HOOK, theirs, 78, BOT), { text: /^You act as theirs/ }, 'it serves every workspace')
  t.match(await told(d, HOOK, button(78, buttonData('a', incident_id))), { text: 'The incident was not found.' })
  t.match(await told(d, HOOK, button(77, buttonData('a', incident_id))), { text: 'INC-1 is acknowledged.' })
  t.match(await told(d, HOOK, message(77, '/status')), { chat_id: '77', text: /^1 open:/ })

  t.equal((await as(s, jo, 'DELETE', `/api/v1/chat/identities/${method.id}`)).statusCode, 204)
  const after = (await as(s, jo, 'GET', PREFERENCES)).json()
  t.notOk(
    after.contact_methods.some(({ kind }: { kind: string }) => kind === 'telegram'),
    'with the link the method ends'
  )
  t.same(after.rules.default, [], 'and rules lose it')
  t.match(await told(d, HOOK, message(77, '/status')), { text: /^You are not linked/ })
})
