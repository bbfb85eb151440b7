/**
 * Tests who hears of the end of an incident that others were merged into, on a real Postgres and
 * over real sockets.
 */
import t from 'tap'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, isQuiet, notifier } from './channels.ts'
import { type Received, receiver } from './receiver.ts'

/** Sends alerts with this title to one channel alone. */
async function rule(s: Stand, title: string, ...channel_ids: string[]): Promise<void> {
  const body = { name: title, match: { all: [{ field: 'title', op: 'eq', value: title }] }, actions: { channel_ids } }
  const made = await s.call(s.acme, 'POST', '/api/v1/routing-rules', body)
  t.equal(made.statusCode, 201, made.body)
}

const eventOf = ({ headers, body }: Received): unknown[] => [headers['x-service-event'], JSON.parse(body).incident.title]

t.test('whoever was told of a merged incident hears of the end of the other', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  const at = (path: string) => target.received.filter((one) => one.path === path)
  await channel(s, s.acme, { config: { url: `${target.url}/all` } })
  const hook = await channel(s, s.acme, { config: { url: `${target.url}/hook` }, is_default: false })
  // Its messages are only read, and it posts to the root.
  const chat = await channel(s, s.acme, { kind: 'ntfy', config: { topic: 'operations_7f3a', server_url: target.url }, is_default: false })
  const over = await channel(s, s.acme, { config: { url: `${target.url}/over` }, is_default: false })
  target.answers.set(
    '/',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"note","event":"message"}')
  )
  await rule(s, 'Queue grows', hook, chat)
  await rule(s, 'Queue was slow', over)
  notifier(t, s)
  const incidents = new Map<string, string>()
  for (const title of ['Broker is down', 'Queue grows', 'Queue is full', 'Queue was slow'])
    incidents.set(title, (await s.incident(s.acme, { title })).incident_id)
  const ask = async (title: string, action: string, body: object = {}) => {
    const answer = await s.call(s.acme, 'POST', `/api/v1/incidents/${incidents.get(title)}/${action}`, body)
    t.equal(answer.statusCode, 200, answer.body)
  }
  const quiet = (what: string) => until(what, () => isQuiet(s))
  await quiet('all failures')
  await ask('Queue was slow', 'resolve')
  await quiet('one end')
  // One that is merged into one that is merged.
  await ask('Queue grows', 'merge', { into_id: incidents.get('Queue is full') })
  await ask('Queue is full', 'merge', { into_id: incidents.get('Broker is down') })
  await ask('Queue was slow', 'merge', { into_id: incidents.get('Broker is down') })
  await quiet('the merges')
  const opened = (title: string) => ['incident.created', title]
  const ended = (title: string) => ['incident.resolved', title]
  t.same(at('/hook').map(eventOf), [opened('Queue grows')], 'nobody is told of the merge')
  t.equal(at('/').length, 1)

  await ask('Broker is down', 'resolve')
  await quiet('the end')
  t.same(at('/hook').map(eventOf), [opened('Queue grows'), ended('Queue grows')], 'what keeps an alert by its key ends that')
  const [, last, ...more] = at('/')
  t.match(last?.body, 'Broker is down')
  t.same(more, [], 'whoever reads hears once')
  t.same(
    at('/all')
      .map(eventOf)
      .filter(([event]) => event === 'incident.resolved')
      .sort(),
    [ended('Broker is down'), ended('Queue is full')]
  )
  t.same(at('/over').map(eventOf), [opened('Queue was slow'), ended('Queue was slow')], 'an end that was told before is not told again')
})
