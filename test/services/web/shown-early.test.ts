/** Tests of an acknowledgement that is shown before the service has answered, and is refused. */
import { QueryClient } from '@tanstack/react-query'
import t from 'tap'
import { countsQuery, incidentQuery } from '../../../services/web/api/lists.ts'
import type { Incident, IncidentCounts } from '../../../services/web/api/shapes.ts'
import { showAcknowledged } from '../../../services/web/api/shown-early.ts'

const NOW = Date.parse('2026-11-22T10:00:00.000Z')
const ME = 'user:me'

const open = (id: string, ver = 1): Incident =>
  ({ id, ver, dashboard_state: 'Triggered', acknowledged_at: null, acknowledged_by: null, held_by: [], title: id }) as unknown as Incident
const takenBy = (id: string, by: string): Incident => ({
  ...open(id, 2),
  dashboard_state: 'Acknowledged',
  acknowledged_at: '2026-11-22T10:00:20.000Z',
  acknowledged_by: by
})

const listKey = ['incidents', 'list', {}]
const counted = (needs_someone: number, acknowledged: number): IncidentCounts => ({
  ongoing: needs_someone + acknowledged,
  needs_someone,
  acknowledged,
  silenced: 0
})

function stage(t: { teardown(work: () => void): void }) {
  const queries = new QueryClient()
  t.teardown(() => queries.clear())
  queries.setQueryData(listKey, { items: [open('a'), open('b'), open('private')], total: 3 })
  queries.setQueryData<unknown>(incidentQuery('a').queryKey, open('a'))
  queries.setQueryData(countsQuery.queryKey, counted(3, 0))
  const list = () => queries.getQueryData<{ items: Incident[] }>(listKey)?.items ?? []
  return {
    queries,
    list,
    one: () => queries.getQueryData(incidentQuery('a').queryKey),
    counts: () => queries.getQueryData(countsQuery.queryKey)
  }
}

t.test('a refused acknowledgement is taken back in the list, on the page and in the counts', async (t) => {
  const { queries, list, one, counts } = stage(t)
  const takeBack = showAcknowledged(queries, open('a'), ME, NOW)
  t.match(list()[0], { dashboard_state: 'Acknowledged', acknowledged_by: ME })
  t.match(one(), { dashboard_state: 'Acknowledged', acknowledged_by: ME })
  t.same(counts(), counted(2, 1))
  takeBack()
  t.same(list(), [open('a'), open('b'), open('private')])
  t.same(one(), open('a'))
  t.same(counts(), counted(3, 0))
})

t.test('a refused acknowledgement takes back nothing that came meanwhile', async (t) => {
  const { queries, list, counts } = stage(t)
  const takeBack = showAcknowledged(queries, open('a'), ME, NOW)
  // A new incident opens, a colleague takes another one, and the third moves out of sight.
  const [early] = list()
  queries.setQueryData(listKey, { items: [open('new'), early, takenBy('b', 'user:other')], total: 3 })
  queries.setQueryData(countsQuery.queryKey, counted(1, 2))
  takeBack()
  t.same(list(), [open('new'), open('a'), takenBy('b', 'user:other')])
  t.same(counts(), counted(1, 2), 'the counts that were read meanwhile stay until they are read again')
})

t.test('an incident that somebody else took meanwhile stays taken', async (t) => {
  const { queries, list } = stage(t)
  const takeBack = showAcknowledged(queries, open('a'), ME, NOW)
  queries.setQueryData(listKey, { items: [takenBy('a', 'user:other')], total: 1 })
  takeBack()
  t.same(list(), [takenBy('a', 'user:other')])
})
