/**
 * Tests of the bots of Telegram channels that are saved, tested and deleted at the same time: the
 * bot of a channel that is there is called, whatever happens to other channels meanwhile.
 */
import t from 'tap'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { type Asked, httpContractServer, type Vendor } from '../channels/contract.ts'
import { contract } from '../channels/contracts/telegram.ts'
import { stand } from './stand.ts'
import { bodiesOf, CHANNELS, called, hookOf, message, PUBLIC_URL, type Telegram } from './telegramming.ts'

const FIRST = '123456789'
const SECOND = '987654321'
const configOf = (bot: string) =>
  ({ ...contract.config(''), bot_token: `${bot}:AAfirstCCddEEffGGhhIIjjKKllMMnnOOpp` }) as Telegram['config']

function latch(): { opened: Promise<void>; open(): void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** A Telegram that holds its answer to one request of a bot until it is let go. */
async function holding(
  t: Teardown
): Promise<Telegram & { hold(bot: string, method: string): { reached(): Promise<unknown>; letGo(): void } }> {
  let held: { at: string; isReached: boolean; letGo: Promise<void> } | null = null
  const server = await httpContractServer(t, async ({ path }: Asked) => {
    if (held === null || held.isReached || !path.endsWith(held.at)) return
    held.isReached = true
    await held.letGo
  })
  const vendors = new Map<string, Vendor>([FIRST, SECOND].map((bot) => [bot, contract.vendor(configOf(bot), server.url)]))
  server.play((asked) => {
    const vendor = vendors.get(/^\/bot(\d+):/.exec(asked.path)?.[1] ?? '')
    if (!vendor) throw new Error(`no bot: ${asked.path}`)
    return vendor(asked)
  }, null)
  const s = await stand(t, { config: { publicUrl: PUBLIC_URL, outboundBaseUrls: JSON.stringify({ telegram: server.url }) } })
  return {
    s,
    server,
    config: configOf(FIRST),
    hold(bot, method) {
      const letGo = latch()
      const one = { at: `/bot${configOf(bot).bot_token}/${method}`, isReached: false, letGo: letGo.opened }
      held = one
      return { reached: () => until(`${method} of ${bot}`, () => one.isReached || null), letGo: letGo.open }
    }
  }
}

const save = ({ s }: Telegram, name: string, bot: string) =>
  s.call(s.acme, 'POST', CHANNELS, { name, kind: 'telegram', config: configOf(bot) })

t.test('two Telegram channels with bots of their own that are saved at once are both called', async (t) => {
  const d = await holding(t)
  const { reached, letGo } = d.hold(SECOND, 'setWebhook')
  const second = save(d, 'Second', SECOND)
  await reached()
  t.match((await save(d, 'First', FIRST)).json(), { config: { bot_id: FIRST, bot_name: String } })
  const first = hookOf(d)
  letGo()
  t.match((await second).json(), { config: { bot_id: SECOND, bot_name: String } })
  for (const hook of [first, hookOf(d)]) t.equal((await called(d, hook, message(1, '/status'))).statusCode, 200)
})

t.test('a bot goes on to be called if one of its channels is deleted while another is saved', async (t) => {
  const d = await holding(t)
  const { s } = d
  const before = (await save(d, 'Before', FIRST)).json()
  const { reached, letGo } = d.hold(FIRST, 'setWebhook')
  const after = save(d, 'After', FIRST)
  await reached()
  t.equal((await s.call(s.acme, 'DELETE', `${CHANNELS}/${before.id}`)).statusCode, 204)
  letGo()
  t.match((await after).json(), { config: { bot_name: String } })
  t.equal(bodiesOf(d, 'deleteWebhook').length, 0)
  t.equal((await called(d, hookOf(d), message(1, '/status'))).statusCode, 200)

  const end = d.hold(FIRST, 'deleteWebhook')
  const gone = s.call(s.acme, 'DELETE', `${CHANNELS}/${(await after).json().id}`)
  await end.reached()
  t.match((await save(d, 'Last', FIRST)).json(), { config: { bot_name: String } })
  end.letGo()
  t.equal((await gone).statusCode, 204)
  const told = d.server.heard.filter(({ said }) => said === 'hook' || said === 'no hook').map(({ said }) => said)
  t.same(told.slice(-2), ['no hook', 'hook'], 'a webhook that ended late is set again')
  t.equal((await called(d, hookOf(d), message(1, '/status'))).statusCode, 200)
})

t.test('a channel that gets another token while its bot is set up has the bot of that token', async (t) => {
  const d = await holding(t)
  const { s } = d
  const { reached, letGo } = d.hold(FIRST, 'setWebhook')
  const first = save(d, 'Ops', FIRST)
  await reached()
  const { id } = (await s.call(s.acme, 'GET', CHANNELS)).json().items[0]
  t.match((await s.call(s.acme, 'PATCH', `${CHANNELS}/${id}`, { config: configOf(SECOND) })).json(), { config: { bot_id: SECOND } })
  const hook = hookOf(d)
  letGo()
  await first
  t.match((await s.call(s.acme, 'GET', `${CHANNELS}/${id}`)).json(), { config: { bot_id: SECOND, bot_name: String } })
  t.equal((await called(d, hook, message(1, '/status'))).statusCode, 200)
})

t.test('a test that arrives sets a bot up again whose address is gone', async (t) => {
  const d = await holding(t)
  const { s } = d
  const { id } = (await save(d, 'Ops', FIRST)).json()
  await s.systemPool.query('DELETE FROM telegram_bots')
  t.equal((await called(d, hookOf(d), message(1, '/status'))).statusCode, 401)
  t.match((await s.call(s.acme, 'POST', `${CHANNELS}/${id}/test`)).json(), { ok: true })
  t.equal((await called(d, hookOf(d), message(1, '/status'))).statusCode, 200)
})
