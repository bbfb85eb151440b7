/** Tests of the list of monitors under the headings of their groups, and of groups in words. */
import t from 'tap'
import type { Monitor, MonitorGroup } from '../../../services/web/api/shapes.ts'
import { groupInWords, groupsAnswer } from '../../../services/web/pages/monitors/group-words.ts'
import { listedByGroup } from '../../../services/web/pages/monitors/listed-by-group.ts'

const monitor = (id: string, group_id: string | null) => ({ id, group_id }) as Monitor
const group = (id: string) => ({ id, name: id }) as MonitorGroup
const monitors = [monitor('m1', 'shop'), monitor('m2', null), monitor('m3', 'office'), monitor('m4', 'shop'), monitor('m5', 'gone')]

t.test('rows under the headings of their groups', async (t) => {
  const cases: [name: string, groups: string[], grouped: boolean, rows: string[]][] = [
    ['not asked for', ['shop'], false, ['m1', 'm2', 'm3', 'm4', 'm5']],
    ['there is no group', [], true, ['m1', 'm2', 'm3', 'm4', 'm5']],
    [
      'in the order of the groups, those of none last',
      ['office', 'shop'],
      true,
      ['group office', 'm3', 'group shop', 'm1', 'm4', 'group none', 'm2', 'm5']
    ],
    ['a group without a row has no head', ['empty', 'shop'], true, ['group shop', 'm1', 'm4', 'group none', 'm2', 'm3', 'm5']]
  ]
  for (const [name, groups, grouped, rows] of cases)
    t.same(
      listedByGroup(monitors, groups.map(group), grouped).map(({ id }) => id),
      rows,
      name
    )
})

t.test('groups of monitors in words', async (t) => {
  const counts = { total: 0, up: 0, degraded: 0, down: 0, paused: 0 }
  t.equal(groupInWords({ monitors: counts }), 'No monitors')
  t.equal(groupInWords({ monitors: { ...counts, total: 1, up: 1 } }), '1 monitor')
  t.equal(groupInWords({ monitors: { total: 9, up: 2, degraded: 1, down: 2, paused: 4 } }), '9 monitors, 2 down, 1 degraded, 4 paused')
  t.equal(groupsAnswer([{ state: 'up' }]), '1 group')
  t.equal(groupsAnswer([{ state: 'up' }, { state: 'empty' }, { state: 'paused' }]), '3 groups')
  t.equal(groupsAnswer([{ state: 'down' }, { state: 'degraded' }, { state: 'up' }]), '2 of 3 groups need a look')
})
