/**
 * Tests of postmortems: each write replaces the whole, and names the version that the writer saw.
 */
import t from 'tap'
import { as, audited, person } from './people.ts'
import { stand } from './stand.ts'

t.test('postmortems', async (t) => {
  const s = await stand(t)
  const { key, incident_id } = await s.incident(s.acme, { title: 'Checkout *slow*' })
  const path = `/api/v1/incidents/${key}/postmortem`
  const read = (query = '') => s.call(s.acme, 'GET', `${path}${query}`)
  const write = (body: object, version?: string) =>
    s.call(s.acme, 'PUT', path, body, version === undefined ? {} : { headers: { 'if-match': version } })

  await t.test('an incident has no postmortem before one is written', async (t) => {
    t.equal((await read()).statusCode, 404)
    t.equal((await s.call(s.acme, 'GET', `/api/v1/incidents/${key}`)).json().postmortem_status, 'none')
  })

  await t.test('a postmortem is a draft, then published, and fields that are not sent become empty', async (t) => {
    const [opened] = (await s.call(s.acme, 'GET', `/api/v1/incidents/${key}/timeline`)).json().items
    const item = { title: 'Raise the limit', owner_id: s.acme.user_id, due_on: '2026-04-01', link: 'https://tickets.example/7' }
    const answer = await write({ impact: 'Nobody could pay.', action_items: [item], timeline_refs: [opened.id] }, '"0"')
    t.equal(answer.statusCode, 200, answer.body)
    t.equal(answer.headers.etag, '"1"')
    t.match(answer.json(), {
      incident_id,
      version: 1,
      status: 'draft',
      impact: 'Nobody could pay.',
      root_cause: '',
      action_items: [{ ...item, done: false, owner_name: String }],
      timeline_refs: [opened.id],
      published_at: null
    })
    t.equal((await s.call(s.acme, 'GET', `/api/v1/incidents/${key}`)).json().postmortem_status, 'draft')
    const published = await write({ status: 'published', root_cause: 'A full disk.', action_items: [{ ...item, done: true }] }, '"1"')
    t.match(published.json(), { version: 2, status: 'published', impact: '', published_at: String, timeline_refs: [] })
    t.same((await read()).json(), published.json())
    t.same(await audited(s, s.acme.tenant_id, incident_id), ['postmortem.created', 'postmortem.updated'])
    const { rows } = await s.systemPool.query<{ diff: object }>(
      "SELECT diff FROM audit WHERE object_id = $1 AND action = 'postmortem.updated'",
      [incident_id]
    )
    const fields = [null, ['status', 'impact', 'root_cause', 'action_items', 'timeline_refs']]
    t.same(rows, [{ diff: { ver: [1, 2], status: ['draft', 'published'], fields } }], 'the audit trail is no second copy')
  })

  await t.test('a write that names an old version is refused', async (t) => {
    const before = (await read()).json()
    const late = await write({ impact: 'Late' }, '"1"')
    t.equal(late.statusCode, 412)
    t.match(late.json(), { code: 'VERSION_MISMATCH', version: 2 })
    t.equal((await write({ impact: 'First' }, '"0"')).statusCode, 412)
    t.same((await read()).json(), before)
    const { status, root_cause, action_items } = before
    const same = { status, root_cause, action_items: action_items.map(({ owner_name: _, ...item }: { owner_name: string }) => item) }
    t.equal((await write(same)).json().version, 2, 'what changes nothing is no version')
  })

  await t.test('of concurrent first writes one succeeds, and the others are refused', async (t) => {
    const other = await s.incident(s.acme)
    const put = (impact: string) =>
      s.call(s.acme, 'PUT', `/api/v1/incidents/${other.key}/postmortem`, { impact }, { headers: { 'if-match': '"0"' } })
    const codes = (await Promise.all([put('one'), put('two'), put('three')])).map(({ statusCode }) => statusCode).sort()
    t.equal(codes[0], 200)
    t.ok(
      codes.slice(1).every((code) => code === 409 || code === 412),
      codes.join()
    )
  })

  await t.test('the timeline says how people acted on the incident, not how the postmortem was written', async (t) => {
    const other = await s.incident(s.acme)
    const kim = await person(s, s.acme, 'kim', 'responder')
    const of = (action: string) => `/api/v1/incidents/${other.key}/${action}`
    const write = async (impact: string) => t.equal((await as(s, kim, 'PUT', of('postmortem'), { impact })).statusCode, 200)
    // One version of the postmortem is older than the incident's of the same number, one newer.
    await write('1')
    await write('2')
    t.equal((await s.call(s.acme, 'POST', of('acknowledge'))).statusCode, 200)
    t.equal((await s.call(s.acme, 'POST', of('resolve'))).statusCode, 200)
    await write('3')
    const { items } = (await s.call(s.acme, 'GET', of('timeline'))).json()
    t.same(
      items.map(({ type, via }: { type: string; via: string | null }) => [type, via]),
      [
        ['opened', null],
        ['acknowledged', 'api'],
        ['resolved', 'api']
      ]
    )
  })

  await t.test('a postmortem can be read as a Markdown document', async (t) => {
    const answer = await read('?format=md')
    t.equal(answer.headers['content-type'], 'text/markdown; charset=utf-8')
    t.match(answer.headers['content-disposition'], `filename="${key}.md"`)
    t.match(answer.body, `# ${key}: Checkout \\*slow\\*\n`)
    t.match(answer.body, '## Root cause\n\nA full disk.\n')
    t.match(answer.body, /- \[x\] Raise the limit \(.*due 2026-04-01, <https:\/\/tickets.example\/7>\)/)
    t.notMatch(answer.body, '## Impact', 'an empty part is left out')
  })

  await t.test('an invalid postmortem is refused with its path and rule', async (t) => {
    const item = { title: 'x' }
    const cases: [object, string, string][] = [
      [{ impact: 'x'.repeat(50_001) }, 'impact', 'length'],
      [{ status: 'final' }, 'status', 'enum'],
      [{ nonsense: 1 }, 'nonsense', 'unknown_field'],
      [{ action_items: [{ title: ' ' }] }, 'action_items[0].title', 'pattern'],
      [{ action_items: [item, { ...item, owner_id: s.globex.user_id }] }, 'action_items[1].owner_id', 'not_a_member'],
      [{ action_items: [{ ...item, due_on: '2026-02-30' }] }, 'action_items[0].due_on', 'pattern'],
      [{ action_items: [{ ...item, link: 'javascript:alert(1)' }] }, 'action_items[0].link', 'pattern'],
      [{ action_items: Array.from({ length: 51 }, () => item) }, 'action_items', 'length'],
      [{ timeline_refs: [incident_id] }, 'timeline_refs[0]', 'unknown_item']
    ]
    for (const [body, where, rule] of cases) {
      const answer = await write(body)
      t.equal(answer.statusCode, 422, where)
      t.match(answer.json().details, [{ path: where, rule }], where)
    }
    t.equal((await read()).json().version, 2)
  })
})
