/**
 * Tests of dependencies between monitors over the API: which monitors may be named, cycles, teams,
 * and what is shown.
 */
import t from 'tap'
import type { MonitorTransition } from '../../../schemas/generated/events.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { transaction } from '../../../services/store/pool.ts'
import type { Input } from '../../../streams/define.ts'
import { until } from '../../harness/until.ts'
import { fold, monitorTransition } from '../../streams/incident/build.ts'
import { create, MONITORS, rowsOf, setState } from './monitoring.ts'
import { addPerson, ask } from './private-team.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

t.setTimeout(120_000)

/** Runs a transition of a monitor through the incident fold. */
async function changed(s: Stand, { tenant_id }: Workspace, monitor_id: string, over: Partial<MonitorTransition>): Promise<void> {
  const value = monitorTransition({ tenant_id, monitor_id, event_id: monitor_id, at: Date.now(), ...over })
  const place = { partition: 0, offset: BigInt(value.ver), timestamp: value.at, key: monitor_id } as const
  const input: Input = { record: 'MonitorTransition', value, topic: 'monitor.transitions.v1', ...place }
  await transaction(s.systemPool, async (tx) => {
    const { saved } = fold(await incidentStore.load(tx, [input]), [input])
    await incidentStore.save(tx, saved)
  })
}
const isDown: Partial<MonitorTransition> = { status: 'down', phase: 'down', previous_status: 'up', previous_phase: 'validating' }

t.test('valid and invalid dependencies of a monitor', async (t) => {
  const s = await stand(t)
  const one = await create(s, s.acme, { name: 'Router' })
  const two = await create(s, s.acme, { name: 'Balancer', depends_on: [one.id.toUpperCase()], dependency_hold_seconds: 90 })
  const three = await create(s, s.acme, { name: 'Shop', depends_on: [two.id, one.id] })
  t.match(one, { depends_on: [], dependency_hold_seconds: null })
  t.match(two, { depends_on: [one.id], dependency_hold_seconds: 90 })
  t.same(three.depends_on, [two.id, one.id], 'in the order of people')
  const foreign = await create(s, s.globex, { name: 'Theirs' })

  const wrong: [string, object, string][] = [
    [one.id, { depends_on: [one.id] }, 'depends_on[0] cycle'],
    [one.id, { depends_on: [three.id] }, 'depends_on[0] cycle'],
    [three.id, { depends_on: [one.id, foreign.id] }, 'depends_on[1] unknown_monitor'],
    [three.id, { depends_on: [one.id, one.id] }, 'depends_on[1] duplicate'],
    [three.id, { depends_on: ['nothing'] }, 'depends_on[0] pattern'],
    [three.id, { depends_on: Array.from({ length: 11 }, () => one.id) }, 'depends_on length'],
    [three.id, { dependency_hold_seconds: 301 }, 'dependency_hold_seconds max'],
    [three.id, { dependency_hold_seconds: -1 }, 'dependency_hold_seconds min']
  ]
  for (const [id, body, expected] of wrong) {
    const answer = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, body)
    t.equal(answer.statusCode, 422, answer.body)
    const [fault] = answer.json().details
    t.equal(`${fault.path} ${fault.rule}`, expected, JSON.stringify(body))
  }
  const refused = await s.call(s.acme, 'POST', MONITORS, {
    name: 'Other',
    type: 'http',
    target: 'https://other.example/',
    depends_on: [foreign.id]
  })
  t.equal(refused.statusCode, 422)

  const listed = await s.call(s.acme, 'GET', `${MONITORS}?depends_on=${one.id}`)
  t.same(
    listed.json().items.map(({ name }: { name: string }) => name),
    ['Balancer', 'Shop']
  )
  const [version] = await rowsOf(s.systemPool, "SELECT body FROM config_versions WHERE kind = 'monitor' AND id = $1", [two.id])
  t.match(version, { body: { depends_on: [one.id], dependency_hold_seconds: 90 } }, 'the log knows it, too')

  t.equal((await s.call(s.acme, 'DELETE', `${MONITORS}/${one.id}`)).statusCode, 204)
  t.same((await s.call(s.acme, 'GET', `${MONITORS}/${three.id}`)).json().depends_on, [two.id], 'what is deleted is not shown')
  const kept = await s.call(s.acme, 'PATCH', `${MONITORS}/${three.id}`, { depends_on: [] })
  t.same(kept.json().depends_on, [])
})

t.test('two simultaneous changes cannot make a cycle', async (t) => {
  const s = await stand(t)
  const [one, two] = [await create(s, s.acme, { name: 'One' }), await create(s, s.acme, { name: 'Two' })]
  const answers = await Promise.all([
    s.call(s.acme, 'PATCH', `${MONITORS}/${one.id}`, { depends_on: [two.id] }),
    s.call(s.acme, 'PATCH', `${MONITORS}/${two.id}`, { depends_on: [one.id] })
  ])
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 422])
})

t.test('a private dependency is hidden from outsiders and survives their changes', async (t) => {
  const s = await stand(t)
  const [, outsider] = await addPerson(s, s.acme, 'outsider', 'editor')
  const by = (method: string, path: string, body?: unknown) => ask(s, outsider, method, path, body)
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Closed', visibility: 'private' })).json()
  const hidden = await create(s, s.acme, { name: 'Hidden', team_id: team.id })
  const open = await create(s, s.acme, { name: 'Open' })
  const child = await create(s, s.acme, { name: 'Child', depends_on: [hidden.id, open.id] })
  const seen = (await by('GET', `${MONITORS}/${child.id}`)).json()
  t.same(seen.depends_on, [open.id])
  const refused = await by('PATCH', `${MONITORS}/${child.id}`, { depends_on: [hidden.id] })
  t.match(refused.json().details, [{ path: 'depends_on[0]', rule: 'unknown_monitor' }])
  t.equal((await by('PATCH', `${MONITORS}/${child.id}`, { depends_on: [] })).statusCode, 200)
  t.same((await s.call(s.acme, 'GET', `${MONITORS}/${child.id}`)).json().depends_on, [hidden.id])
  const none = await by('GET', `${MONITORS}?depends_on=${hidden.id}`)
  t.same(none.json().items, [])

  await changed(s, s.acme, hidden.id, { ...isDown, ver: 2, team_id: team.id })
  await changed(s, s.acme, child.id, { ...isDown, ver: 2 })
  const { open_incident_id } = (await s.call(s.acme, 'GET', `${MONITORS}/${child.id}`)).json()
  const path = `/api/v1/incidents/${open_incident_id}`
  t.match((await s.call(s.acme, 'GET', path)).json().held_by, [{ kind: 'dependency', id: hidden.id }])
  t.match((await by('GET', path)).json().held_by, [{ kind: 'dependency', id: open_incident_id }])
  for (const [get, named] of [
    [(to: string) => s.call(s.acme, 'GET', to), hidden.id],
    [(to: string) => by('GET', to), null]
  ] as const) {
    const page = (await get(`${path}?include=timeline,related`)).json()
    t.match(page.timeline.items[0].data, { waits_for: named, waits_state: 'down' })
    t.same(
      page.related.map(({ relation }: { relation: string }) => relation),
      named === null ? [] : ['parent']
    )
    const why = (await get(`${path}/explain`)).json()
    t.match(
      why.steps.find(({ rule }: { rule: string }) => rule === 'dependency'),
      { values: { monitor_id: named, state: 'down' } }
    )
  }
})

t.test('a held incident is reviewed when its dependencies change', async (t) => {
  const s = await stand(t)
  const parent = await create(s, s.acme, { name: 'Parent' })
  const child = await create(s, s.acme, { name: 'Child', depends_on: [parent.id] })
  await changed(s, s.acme, parent.id, { ...isDown, ver: 2 })
  await changed(s, s.acme, child.id, { ...isDown, ver: 2 })
  await setState(s, s.acme, child.id, { status: 'down', phase: 'down' })
  const { open_incident_id, phase } = (await s.call(s.acme, 'GET', `${MONITORS}/${child.id}`)).json()
  t.equal(phase, 'dependency_down')
  await s.call(s.acme, 'PATCH', `${MONITORS}/${child.id}`, { depends_on: [] })
  const jobs = await rowsOf(s.systemPool, "SELECT payload FROM jobs WHERE kind = 'dependency_end' AND run_at <= now()", [])
  t.match(jobs, [{ payload: { incident_id: open_incident_id } }])
})

t.test('an import holds the key of a parent only while it commits', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const parent = await create(s, s.acme, { name: 'Parent' })
  await create(s, s.acme, { name: 'First', depends_on: [parent.id] })
  const last = await create(s, s.acme, { name: 'Last' })
  const items = ['One', 'Last'].map((name) => ({ name, type: 'http', target: `https://${name}.example/`, depends_on: [parent.id] }))
  const blocker = await s.systemPool.connect()
  t.teardown(() => blocker.release())
  for (const dry_run of [true, false]) {
    // The import waits in the middle, for its last monitor.
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM monitors WHERE tenant_id = $1 AND monitor_id = $2 FOR UPDATE', [tenant_id, last.id])
    // A request is sent when somebody waits for it.
    const importing = s.call(s.acme, 'POST', `${MONITORS}/import`, { dry_run, items }).then((answer) => answer)
    const { rows } = await blocker.query<{ xid: string }>('SELECT pg_current_xact_id()::xid::text AS xid')
    await until('the import waits', async () => {
      const waiting = await s.systemPool.query('SELECT FROM pg_locks WHERE NOT granted AND transactionid = $1::xid', [rows[0]?.xid])
      return waiting.rowCount === 1
    })
    const found = await s.systemPool.query('SELECT FROM signals WHERE tenant_id = $1 AND dedup_key = $2 FOR UPDATE NOWAIT', [
      tenant_id,
      `mon:${parent.id}`
    ])
    t.equal(found.rowCount, 1, 'an incident of the parent does not wait')
    await blocker.query('ROLLBACK')
    const answer = await importing
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), { create: 1, update: 1, errors: [] })
  }
  t.match((await s.call(s.acme, 'GET', `${MONITORS}?depends_on=${parent.id}`)).json(), { total: 3 })
})
