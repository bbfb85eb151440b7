/**
 * Tests of the explanation of a monitor's status over the API: what the fold stored, and what
 * overrides it.
 */
import t from 'tap'
import { configInput, play, T0, tickInput, world } from '../../streams/status/build.ts'
import { create, MONITORS, setState } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

t.test('the explanation of a status names votes, quorum, maintenance and pause', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const { id } = await create(s, s.acme, { name: 'Shop' })
  const why = async () => (await s.call(s.acme, 'GET', `${MONITORS}/${id}/explain`)).json()
  t.match(await why(), { question: 'Why is Shop up?', answer: 'It is new: nothing was judged yet.', steps: [{ n: 1, rule: 'vote' }] })

  const acme = world()
  acme.take(configInput(), tickInput(T0))
  play(acme, ['SSS', 'FFS', 'FFS'], T0)
  await setState(s, s.acme, id, { ...acme.row(), tenant_id: s.acme.tenant_id, monitor_id: id })
  const down = await why()
  t.match(down, {
    question: 'Why is Shop down?',
    at: new Date(T0 + 120_200).toISOString(),
    steps: [
      { n: 1, rule: 'rounds', values: { region: 'a', vote: 'down' }, inputs: [{ topic: 'checks.results.v1', partition: 3 }] },
      { rule: 'rounds', values: { region: 'b', vote: 'down' } },
      { rule: 'rounds', values: { region: 'c', vote: 'up' } },
      { rule: 'quorum', values: { configured: 3, fresh: 3, quorum: 2 } },
      { n: 5, rule: 'vote', values: { down: 2, needed: 2 }, config_refs: [{ type: 'monitor', id, version: 1 }] }
    ],
    suppressions: []
  })
  t.equal((await why()).trace_hash, down.trace_hash, 'equal steps have an equal hash')

  const window = {
    name: 'Move',
    scope: { monitor_ids: [id] },
    schedule: { kind: 'once', starts_at: new Date().toISOString(), ends_at: new Date(Date.now() + 3_600_000).toISOString() }
  }
  t.equal((await s.call(s.acme, 'POST', '/api/v1/maintenance-windows', window)).statusCode, 201)
  t.match((await why()).steps.at(-1), { rule: 'maintenance', verdict: 'It fails while a maintenance window covers it.' })

  await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, {})
  t.match(await why(), { question: 'Why is Shop paused?', answer: 'It is paused: nothing is judged.', steps: [{ rule: 'pause' }] })
  t.equal((await s.call(s.globex, 'GET', `${MONITORS}/${id}/explain`)).statusCode, 404)
})
