/**
 * Tests of who is notified when much fails at once, on a real Postgres: a parent with fifty
 * children makes one page; five monitors in two regions make one mass outage.
 */
import t from 'tap'
import type { MonitorTransition } from '../../../schemas/generated/events.ts'
import { writeEffects } from '../../../services/store/effects.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { fold, id, monitorInput } from '../../streams/incident/build.ts'
import { create, MONITORS } from '../api/monitoring.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { channel } from './channels.ts'
import { worker } from './escalating.ts'

t.setTimeout(120_000)
const codec = localCodec()
const SECOND = 1000

interface Home extends Workspace {
  /** Ids of monitors by name. */
  monitors: Map<string, string>
}

let ver = 1
/** Changes the monitors with these names in one batch of the log. */
async function changed(s: Stand, home: Home, names: readonly string[], status: 'up' | 'down', over: Partial<MonitorTransition> = {}) {
  const at = Date.now()
  const inputs = names.map((name, n) => {
    const value: Partial<MonitorTransition> = {
      tenant_id: home.tenant_id,
      monitor_id: home.monitors.get(name) ?? '',
      name,
      event_id: id(`${home.tenant_id} ${name} ${++ver}`),
      ver,
      status,
      phase: status === 'up' ? 'ok' : 'down',
      previous_status: status === 'up' ? 'down' : 'up',
      previous_phase: status === 'up' ? 'down' : 'validating',
      at: at + n,
      ...over
    }
    return monitorInput(value, { offset: ver })
  })
  await transaction(s.systemPool, async (tx) => {
    const { saved, outgoing, jobs } = fold(await incidentStore.load(tx, inputs), inputs)
    await incidentStore.save(tx, saved)
    await writeEffects(tx, { outgoing, jobs }, codec)
  })
}

/**
 * Returns the decisions to notify, by the incident's title: `down`, or the reason for suppression.
 */
async function told(s: Stand, { tenant_id }: Workspace): Promise<Map<string, string[]>> {
  const { rows } = await s.systemPool.query<{ title: string; event: string; suppressed_by: string | null }>(
    `SELECT i.title, n.event, n.suppressed_by FROM intents n JOIN incidents i USING (tenant_id, incident_id)
      WHERE n.tenant_id = $1 ORDER BY i.number, n.at, n.event`,
    [tenant_id]
  )
  const all = new Map<string, string[]>()
  for (const { title, event, suppressed_by } of rows)
    all.set(title, [...(all.get(title) ?? []), suppressed_by === null ? event : `${event} held by ${suppressed_by}`])
  return all
}
const quiet = (s: Stand) =>
  until('no job to be due', async () => (await s.systemPool.query('SELECT FROM jobs WHERE run_at <= now()')).rowCount === 0)

/** Returns how many mass outages the workspace has or had. */
const massOutages = async (s: Stand, home: Workspace): Promise<number> =>
  (await s.call(home, 'GET', '/api/v1/incidents?source_kind=mass_outage')).json().total

/** Returns the incidents about which anybody was notified of this event. */
const sent = (all: Map<string, string[]>, event: string): string[] =>
  [...all].filter(([, words]) => words.includes(event)).map(([title]) => title)

t.test('notifications when many monitors fail at once', async (t) => {
  const s = await stand(t, { jobs: true })
  worker(t, s)
  const workspace = async (name: string, monitors: readonly string[], body: (name: string) => object = () => ({})): Promise<Home> => {
    const home = { ...(await s.workspace(name)), monitors: new Map<string, string>() }
    await s.call(home, 'PATCH', '/api/v1/workspace', { storm_threshold: 1000 })
    await channel(s, home, { config: { url: 'https://127.0.0.1/' } })
    for (const one of monitors) home.monitors.set(one, (await create(s, home, { name: one, ...body(one) })).id)
    return home
  }

  await t.test('a parent that is down with 50 children sends one page', async (t) => {
    const children = Array.from({ length: 50 }, (_, n) => `Child ${n}`)
    const home = await workspace('parent', ['Router'])
    const router = home.monitors.get('Router') ?? ''
    await s.systemPool.query("UPDATE tenants SET plan = 'enterprise' WHERE tenant_id = $1", [home.tenant_id])
    for (const name of children)
      home.monitors.set(name, (await create(s, home, { name, depends_on: [router], dependency_hold_seconds: 0 })).id)
    await changed(s, home, ['Router'], 'down')
    await changed(s, home, children, 'down')
    await until('all to be decided', async () => (await told(s, home)).size === 51)
    await quiet(s)
    const first = await told(s, home)
    t.same(sent(first, 'down'), ['Router is down'])
    t.equal([...first.values()].filter(([words]) => words === 'down held by dependency').length, 50)
    t.equal(await massOutages(s, home), 0, 'what their parent explains is no mass outage')
    const listed = (await s.call(home, 'GET', `${MONITORS}?depends_on=${router}`)).json()
    t.equal(listed.total, 50)

    await changed(s, home, ['Router', ...children.slice(1)], 'up')
    await until('what still fails to be told of', async () => sent(await told(s, home), 'down').length === 2)
    await quiet(s)
    const last = await told(s, home)
    t.same(sent(last, 'down'), ['Router is down', 'Child 0 is down'])
    t.same(sent(last, 'up'), ['Router is down'], 'whoever was not told of a failure hears of no end')
  })

  await t.test('a parent that is deleted while it is judged holds nobody', async (t) => {
    const home = await workspace('deleted', ['Router'])
    const router = home.monitors.get('Router') ?? ''
    home.monitors.set('Child', (await create(s, home, { name: 'Child', depends_on: [router], dependency_hold_seconds: 300 })).id)
    await changed(s, home, ['Router'], 'up', { phase: 'validating', previous_status: 'up', previous_phase: 'ok' })
    t.equal((await s.call(home, 'DELETE', `${MONITORS}/${router}`)).statusCode, 204)
    await changed(s, home, ['Child'], 'down')
    await until('the child to be told of', async () => (await told(s, home)).size === 1)
    t.same([...(await told(s, home))], [['Child is down', ['down']]])
  })

  await t.test('five monitors that go down together make one mass outage', async (t) => {
    const names = ['One', 'Two', 'Three', 'Four', 'Five']
    const home = await workspace('together', names)
    await changed(s, home, names, 'down')
    await until('all to be decided', async () => (await told(s, home)).size === 6)
    await quiet(s)
    t.equal(await massOutages(s, home), 1)
    const title = 'Mass outage: 5 monitors went down together'
    const first = await told(s, home)
    t.same(sent(first, 'down'), ['One is down', 'Two is down', title])
    t.same(
      ['Three', 'Four', 'Five'].map((name) => first.get(`${name} is down`)),
      [['down held by dedup'], ['down held by dedup'], ['down held by dedup']]
    )
    const feed = (await s.call(home, 'GET', '/api/v1/incidents?source_kind=mass_outage')).json()
    t.match(feed.items, [{ title, severity: 'critical', status: 'ongoing', held_by: [] }])
    const { rows: items } = await s.systemPool.query('SELECT title FROM feed WHERE tenant_id = $1 AND type = $2', [
      home.tenant_id,
      'mass_outage'
    ])
    t.same(items, [{ title }])
    const [outage] = feed.items
    const page = (await s.call(home, 'GET', `/api/v1/incidents/${outage.id}?include=related`)).json()
    t.same(
      page.related.map(({ relation }: { relation: string }) => relation),
      ['bundled', 'bundled', 'bundled']
    )
    const member = (await s.call(home, 'GET', '/api/v1/incidents?q=Four%20is%20down')).json().items[0]
    t.match(member.held_by, [{ kind: 'mass_outage', id: outage.id, until: null }])
    const why = (await s.call(home, 'GET', `/api/v1/incidents/${member.id}/explain`)).json()
    t.match(
      why.steps.find(({ rule }: { rule: string }) => rule === 'mass_outage'),
      { values: { incident_id: outage.id } }
    )

    await changed(s, home, names, 'up')
    await until('the end to be told of', async () => sent(await told(s, home), 'up').length === 3)
    await quiet(s)
    t.same(sent(await told(s, home), 'up'), ['One is down', 'Two is down', title], 'one summary for all that it bundled')
    t.match((await s.call(home, 'GET', `/api/v1/incidents/${outage.id}`)).json(), { status: 'resolved', summary: /All are up again/ })
  })

  await t.test('after a person resolves a mass outage, a monitor that is still down is notified alone', async (t) => {
    const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']
    const home = await workspace('ended', names)
    await changed(s, home, names.slice(0, 4), 'down')
    await until('all to be decided', async () => (await told(s, home)).size === 5)
    const [outage] = (await s.call(home, 'GET', '/api/v1/incidents?source_kind=mass_outage')).json().items
    await changed(s, home, ['Three'], 'up')
    t.equal((await s.call(home, 'POST', `/api/v1/incidents/${outage.id}/resolve`, {})).statusCode, 200)
    await until('the other to be told of', async () => (await told(s, home)).get('Four is down')?.includes('down') === true)
    await quiet(s)
    t.same((await told(s, home)).get('Three is down'), ['down held by dedup'])
    const off = await s.call(home, 'PATCH', '/api/v1/workspace', { mass_outage: { enabled: false } })
    t.match(off.json().mass_outage, { enabled: false, min_monitors: 3 })
    await changed(s, home, ['Five', 'Six', 'Seven'], 'down', { at: Date.now() + SECOND })
    await until('each to be told of', async () => sent(await told(s, home), 'down').length === 7)
    t.equal((await s.call(home, 'GET', '/api/v1/incidents?source_kind=mass_outage&status=ongoing')).json().total, 0)
  })

  await t.test('monitors that go down together in a maintenance window notify nobody', async (t) => {
    const names = ['One', 'Two', 'Three']
    const home = await workspace('covered', names)
    const schedule = {
      kind: 'once',
      starts_at: new Date(Date.now() - SECOND).toISOString(),
      ends_at: new Date(Date.now() + 3_600_000).toISOString()
    }
    const made = await s.call(home, 'POST', '/api/v1/maintenance-windows', { name: 'Work', scope: { all: true }, schedule })
    t.equal(made.statusCode, 201, made.body)
    await changed(s, home, names, 'down')
    await until('all to be decided', async () => (await told(s, home)).size === 3)
    await quiet(s)
    t.same(sent(await told(s, home), 'down'), [])
    t.equal(await massOutages(s, home), 0)
  })
})
