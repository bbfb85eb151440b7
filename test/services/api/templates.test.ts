/** Tests of templates over the API, and of a message that uses one. */
import t from 'tap'
import { until } from '../../harness/until.ts'
import { channel, hurry, isQuiet, ledger, notifier } from '../notifier/channels.ts'
import { receiver } from '../notifier/receiver.ts'
import { audited } from './people.ts'
import { stand, type Workspace } from './stand.ts'

const TEMPLATES = '/api/v1/notifications/templates'
const NOBODY = '01890000-0000-7000-8000-000000000000'

t.test('message templates', async (t) => {
  const s = await stand(t, { jobs: true, config: { channelAllowCidrs: ['127.0.0.0/8'] } })
  const made = async (who: Workspace, body: object) => {
    const answer = await s.call(who, 'POST', TEMPLATES, body)
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return answer.json()
  }

  await t.test('a template is created, listed, read, changed and deleted', async (t) => {
    const home = await s.workspace('plain')
    const answer = await s.call(home, 'POST', TEMPLATES, { event: 'down', title: '{{incident.title}}' })
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    const one = answer.json()
    t.match(one, { kind: null, event: 'down', title: '{{incident.title}}', body: null, created_by: `token:${home.token_id}`, version: 1 })
    const path = `${TEMPLATES}/${one.id}`
    t.same((await s.call(home, 'GET', path)).json(), one)
    const again = await s.call(home, 'POST', TEMPLATES, { event: 'down', kind: null, body: 'x' })
    t.match([again.statusCode, again.json().code], [409, 'CONFLICT'])
    const mail = await made(home, { event: 'down', kind: 'email', body: 'x' })
    const over = await made(home, { event: 'up', kind: 'email', body: 'x' })
    const ids = async (query = '') => (await s.call(home, 'GET', `${TEMPLATES}${query}`)).json().items.map(({ id }: { id: string }) => id)
    t.same(await ids(), [one.id, mail.id, over.id])
    t.same(await ids('?kind=email&event=up'), [over.id])
    t.match((await s.call(home, 'GET', `${TEMPLATES}?per_page=2&page=2`)).json(), { total: 3, items: [{ id: over.id }] })

    const changed = await s.call(home, 'PATCH', path, { body: 'See {{incident.url}}' }, { headers: { 'if-match': '"1"' } })
    t.match(changed.json(), { title: '{{incident.title}}', body: 'See {{incident.url}}', version: 2 })
    t.equal((await s.call(home, 'PATCH', path, { body: 'See {{incident.url}}' })).json().version, 2, 'what changes nothing is no version')
    t.match((await s.call(home, 'PATCH', path, { title: 'x' }, { headers: { 'if-match': '"1"' } })).json(), { code: 'VERSION_MISMATCH' })
    t.match((await s.call(home, 'PATCH', path, { kind: 'sms' })).json(), { details: [{ path: 'kind' }] })
    t.match((await s.call(home, 'PATCH', path, { title: null, body: null })).json(), { details: [{ path: 'body', rule: 'required' }] })
    t.equal((await s.call(home, 'DELETE', path, undefined, { headers: { 'if-match': '"1"' } })).statusCode, 412)
    t.equal((await s.call(home, 'DELETE', path)).statusCode, 204)
    t.equal((await s.call(home, 'GET', path)).statusCode, 404)
    t.same(await audited(s, home.tenant_id, one.id), ['template.created', 'template.updated', 'template.deleted'])
    t.equal((await s.call(home, 'GET', `${TEMPLATES}/${NOBODY}`)).statusCode, 404)
    t.equal((await s.call(s.globex, 'GET', `${TEMPLATES}/${mail.id}`)).statusCode, 404)
    t.equal((await s.call(s.globex, 'GET', TEMPLATES)).json().total, 0)
  })

  await t.test('every route refuses an invalid template text with its path', async (t) => {
    const mine = await made(s.globex, { event: 'up', title: 'x' })
    const bad: [object, object][] = [
      [
        { title: 'x', body: '{{incident.titel}}' },
        { path: 'body', rule: 'unknown_placeholder', message: /\{\{incident\.titel\}\}/ }
      ],
      [{ title: '{{nope}}' }, { path: 'title', rule: 'unknown_placeholder' }],
      [{ body: '{{incident.title' }, { path: 'body', rule: 'pattern' }],
      [{ body: 'é'.repeat(8193) }, { path: 'body', rule: 'length' }],
      [{ body: 'x'.repeat(16_385) }, { path: 'body' }],
      [{ title: ' ' }, { path: 'title' }],
      [{ title: 1 }, { path: 'title' }]
    ]
    for (const [texts, detail] of bad)
      for (const [method, path, body] of [
        ['POST', TEMPLATES, { event: 'assigned', ...texts }],
        ['POST', `${TEMPLATES}/preview`, { event: 'assigned', ...texts }],
        ['PATCH', `${TEMPLATES}/${mine.id}`, texts]
      ] as const) {
        const answer = await s.call(s.globex, method, path, body)
        t.match([answer.statusCode, answer.json().details], [422, [detail]], `${method} ${path} ${answer.body.slice(0, 200)}`)
      }
    for (const [body, path] of [
      [{ event: 'nope', title: 'x' }, 'event'],
      [{ event: 'test', title: 'x' }, 'event'],
      [{ title: 'x' }, 'event'],
      [{ event: 'down', kind: 'fax', title: 'x' }, 'kind'],
      [{ event: 'down' }, 'body']
    ] as const)
      t.match((await s.call(s.globex, 'POST', TEMPLATES, body)).json(), { details: [{ path }] })
    t.match((await s.call(s.globex, 'GET', TEMPLATES)).json(), { total: 1, items: [{ title: 'x', body: null, version: 1 }] })
  })

  await t.test('a preview fills a template with sample values and stores nothing', async (t) => {
    const home = await s.workspace('preview')
    const texts = { title: '{{subject.name}} for {{workspace.name}}', body: 'On {{incident.labels.service}}: {{failure.message}}' }
    const seen = await s.call(home, 'POST', `${TEMPLATES}/preview`, { event: 'down', ...texts })
    t.same(seen.json(), {
      title: `[CRITICAL] api.example.com for ${(await s.call(home, 'GET', '/api/v1/workspace')).json().name}`,
      body: 'On api: HTTP 503'
    })
    t.match((await s.call(home, 'POST', `${TEMPLATES}/preview`, { event: 'up', title: '{{incident.duration}}' })).json(), {
      title: '[RESOLVED] 10m'
    })
    t.equal((await s.call(home, 'GET', TEMPLATES)).json().total, 0)
  })

  await t.test('a message keeps the template text that was valid when it was decided', async (t) => {
    const target = await receiver(t)
    target.answers.set('/hook', (response, _request, nth) => void response.writeHead(nth === 0 ? 500 : 204).end())
    await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
    await made(s.acme, { event: 'down', body: 'Every kind' })
    const one = await made(s.acme, {
      event: 'down',
      kind: 'webhook',
      title: 'Ours',
      body: 'Call {{incident.labels.owner}}: {{incident.title}}'
    })
    notifier(t, s)
    const { incident_id } = await s.incident(s.acme)
    await until('the first attempt', async () => (await ledger(s))[0]?.state === 'retrying')
    t.equal((await s.call(s.acme, 'PATCH', `${TEMPLATES}/${one.id}`, { body: 'Later words' })).statusCode, 200)
    await hurry(s)
    await until('the second', async () => target.received.length === 2 && (await isQuiet(s)))
    t.equal(target.received[0]?.body, target.received[1]?.body)
    t.match(JSON.parse(target.received[1]?.body ?? '{}'), { message: 'Call : Disk full on db-7' })
    t.equal((await s.call(s.acme, 'DELETE', `${TEMPLATES}/${one.id}`)).statusCode, 204)
    await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
    await until('the end', async () => target.received.length === 3 && (await isQuiet(s)))
    await s.incident(s.acme, { dedup_key: 'int:x:second' })
    await until('another failure', async () => target.received.length === 4 && (await isQuiet(s)))
    t.match(JSON.parse(target.received[3]?.body ?? '{}'), { message: 'Every kind' })
    const { rows } = await s.systemPool.query("SELECT template FROM deliveries WHERE tenant_id = $1 AND event = 'up'", [s.acme.tenant_id])
    t.same(rows, [{ template: null }])
  })

  await t.test('the texts of a channel take precedence over templates', async (t) => {
    const home = await s.workspace('own')
    const target = await receiver(t)
    notifier(t, s)
    const CHANNELS = '/api/v1/notifications/channels'
    const own = { down: { title: null, body: 'Ours: {{incident.title}}' } }
    const settings = { name: 'Own', kind: 'webhook', is_default: true, config: { url: `${target.url}/own` } }
    for (const [overrides, detail] of [
      [{ down: { title: '{{nope}}', body: null } }, { path: 'template_overrides.down.title', rule: 'unknown_placeholder' }],
      [{ down: { title: null, body: null } }, { path: 'template_overrides.down.body', rule: 'required' }],
      [{ nope: { title: 'x', body: null } }, { path: 'template_overrides.nope' }],
      [{ down: { title: 'x' } }, { path: 'template_overrides.down.body' }],
      [{ down: 'x' }, { path: 'template_overrides.down' }]
    ] as const) {
      const answer = await s.call(home, 'POST', CHANNELS, { ...settings, template_overrides: overrides })
      t.match([answer.statusCode, answer.json().details], [422, [detail]], answer.body.slice(0, 300))
    }
    const answer = await s.call(home, 'POST', CHANNELS, { ...settings, template_overrides: own })
    t.match([answer.statusCode, answer.json().template_overrides], [201, own], answer.body.slice(0, 300))
    const path = `${CHANNELS}/${answer.json().id}`
    await s.call(home, 'POST', CHANNELS, { ...settings, name: 'Other', config: { url: `${target.url}/other` } })
    await made(home, { event: 'down', body: 'Every kind' })
    const said = (at: string) => target.received.filter((one) => one.path === at).map(({ body }) => JSON.parse(body).message)
    await s.incident(home)
    await until('both', async () => target.received.length === 2 && (await isQuiet(s)))
    t.same([said('/own'), said('/other')], [['Ours: Disk full on db-7'], ['Every kind']])
    t.same((await s.call(home, 'PATCH', path, { name: 'Renamed' })).json().template_overrides, own, 'what is not given stays')
    const bare = await s.call(home, 'PUT', path, { name: 'Own', config: settings.config, is_default: true })
    t.match([bare.statusCode, bare.json().template_overrides], [200, {}], 'it is a setting like the others')
    t.match((await s.call(home, 'PATCH', path, { template_overrides: own })).json(), { template_overrides: own })
    t.match((await s.call(home, 'PATCH', path, { template_overrides: {} })).json(), { template_overrides: {} })
    await s.incident(home, { dedup_key: 'int:x:own' })
    await until('both again', async () => target.received.length === 4 && (await isQuiet(s)))
    t.same(said('/own').at(-1), 'Every kind')
  })
})
