/**
 * Uses Slack's own client as an oracle: the fake Slack must accept what the client sends, and our
 * requests must have the same form as the client's.
 */
import { WebClient } from '@slack/web-api'
import t from 'tap'
import { app } from '../../../services/channels/apps/slack.ts'
import type { SendReply, SendRequest } from '../../../services/channels/channel.ts'
import { bySlackApp } from '../../../services/channels/slack-app.ts'
import { slackRooms } from '../../../services/channels/slack-rooms.ts'
import { createHttpSender } from '../../../services/delivery/http.ts'
import { performSteps } from '../../../services/delivery/steps.ts'
import { createAddressGuard } from '../../../services/http/address-guard.ts'
import { createResolver } from '../../../services/http/resolve.ts'
import { type Asked, httpContractServer } from './contract.ts'
import { acknowledged, context, deployment, message, up } from './messages.ts'
import { APP, slackWorkspace } from './slack-web.ts'

/** Returns the names of the fields and how each is written, without the values. */
function shapeOf({ headers, body }: Asked): { fields: string[]; authorization: string | undefined } {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false
  const fields = isForm ? [...new URLSearchParams(body).keys()] : Object.keys(JSON.parse(body))
  return { fields: fields.sort(), authorization: headers.authorization?.split(' ')[0] }
}

t.test("our requests have the same methods and fields as those of Slack's client", async (t) => {
  const server = await httpContractServer(t)
  const ws = slackWorkspace()
  const room = ws.room('alerts').id
  const token = ws.install()
  server.play(ws.vendor, null)
  const client = new WebClient(token, { slackApiUrl: `${server.url}/api/`, retryConfig: { retries: 0 } })
  const guard = createAddressGuard({ open: ['127.0.0.0/8'], closed: [], own: [] })
  const http = createHttpSender({ guard, resolve: createResolver(), allowHttp: true })
  t.teardown(() => http.close())
  const at = context({ deployment: { ...deployment, base_urls: { slack: server.url } } })
  const ours = <R>(steps: Generator<SendRequest, R, SendReply>): Promise<R> => performSteps(http, steps)
  const config = {
    mode: 'oauth' as const,
    team_id: 'T0001',
    team_name: 'Acme',
    channel_id: room,
    channel_name: '#alerts',
    bot_token: token
  }

  // Ours goes first; the client then sends the same content.
  await ours(bySlackApp(message(), config, null, at))
  const ref = { channel: room, ts: ws.messages[0]?.ts ?? '' }
  await ours(bySlackApp(acknowledged(), config, ref, at))
  await ours(bySlackApp(up(), config, ref, at))
  const wanted = { name: 'inc-1', topic: 'INC-1', private: true }
  await ours(slackRooms.open(wanted, { ...config, installer_external_id: 'U0INSTALL' }, at))
  const code = { room, installer: 'U0INSTALL', redirect_uri: 'https://x.example/back' }
  ws.codes.set('ours', code)
  await ours(app.install({ ...APP }, { code: 'ours', redirect_uri: code.redirect_uri }, at))
  const sent = new Map(server.heard.map(({ asked }) => [asked.path, asked]))
  t.notOk(
    server.heard.some(({ said }) => said.startsWith('refused')),
    server.heard.map(({ said }) => said).join(', ')
  )

  const bodyOf = (method: string) => JSON.parse(sent.get(`/api/${method}`)?.body ?? '{}')
  const again = ws.install()
  const theirs = new WebClient(again, { slackApiUrl: `${server.url}/api/`, retryConfig: { retries: 0 } })
  const from = server.heard.length
  await theirs.chat.postMessage(bodyOf('chat.postMessage'))
  await theirs.chat.update(bodyOf('chat.update'))
  const made = await theirs.conversations.create({ ...bodyOf('conversations.create'), name: 'inc-2' })
  await theirs.conversations.invite({ ...bodyOf('conversations.invite'), channel: made.channel?.id ?? '' })
  await theirs.conversations.setTopic({ ...bodyOf('conversations.setTopic'), channel: made.channel?.id ?? '' })
  ws.codes.set('theirs', code)
  await client.oauth.v2.access({ ...APP, code: 'theirs', redirect_uri: code.redirect_uri })
  const heard = server.heard.slice(from)
  t.notOk(
    heard.some(({ said }) => said.startsWith('refused')),
    heard.map(({ said }) => said).join(', ')
  )
  t.same(
    heard.map(({ asked }) => asked.path),
    ['chat.postMessage', 'chat.update', 'conversations.create', 'conversations.invite', 'conversations.setTopic', 'oauth.v2.access'].map(
      (method) => `/api/${method}`
    )
  )
  for (const { asked } of heard) {
    const own = sent.get(asked.path)
    if (!own) return t.fail(`we never ask ${asked.path}`)
    t.same(
      shapeOf(own).fields,
      shapeOf(asked).fields.filter((field) => field !== 'token'),
      asked.path
    )
    if (asked.path !== '/api/oauth.v2.access') t.equal(shapeOf(own).authorization, 'Bearer', asked.path)
  }
})

t.test("Slack's client reports each refusal of the fake Slack by its error code", async (t) => {
  const server = await httpContractServer(t)
  const ws = slackWorkspace()
  ws.room('alerts')
  server.play(ws.vendor, null)
  const client = new WebClient('xoxb-made-up', { slackApiUrl: `${server.url}/api/`, retryConfig: { retries: 0 } })
  await t.rejects(client.auth.test(), { message: /invalid_auth/ })
  const good = new WebClient(ws.install(), { slackApiUrl: `${server.url}/api/`, retryConfig: { retries: 0 } })
  t.match(await good.auth.test(), { ok: true, team_id: 'T0001' })
  await t.rejects(good.chat.postMessage({ channel: 'C9', text: 'x' }), { message: /channel_not_found/ })
  await t.rejects(good.conversations.create({ name: 'Not Allowed' }), { message: /invalid_name_specials/ })
})
