/** Tests of what the form of a maintenance window sends. */
import t from 'tap'
import type { MaintenanceWindow } from '../../../services/web/api/shapes.ts'
import { bodyOf, changeOf, likeBefore, valuesOf } from '../../../services/web/pages/maintenance/window-values.ts'

const NOW = Date.UTC(2026, 2, 1, 12)
const window = {
  name: 'Work',
  reason: null,
  scope: {
    all: false,
    monitor_ids: [],
    heartbeat_ids: [],
    integration_ids: [],
    tags: ['eu, prod', 'db'],
    matchers: [{ field: 'labels.app', op: 'in', value: ['a', 'b'] }]
  },
  schedule: {
    kind: 'once',
    starts_at: '2026-03-02T00:00:00.000Z',
    ends_at: '2026-03-02T02:00:00.000Z',
    rrule: null,
    time_zone: null,
    starts_on: null,
    at: null,
    duration_minutes: null,
    until: null,
    exdates: []
  },
  effect: 'suppress_notifications',
  settle_seconds: 120,
  count_in_uptime: false
} as unknown as MaintenanceWindow
const before = valuesOf(window, NOW, 'UTC')

t.test('a change of something else leaves the scope and the schedule alone', async (t) => {
  t.same(changeOf({ ...before, name: 'Other work' }, before, NOW), {
    name: 'Other work',
    reason: null,
    effect: 'suppress_notifications',
    settle_seconds: 120,
    count_in_uptime: false
  })
})

const cases: [name: string, tags: string, sent: string[]][] = [
  ['one is added', 'eu, prod, db, web', ['eu, prod', 'db', 'web']],
  ['one is added before it', 'web, eu, prod, db', ['web', 'eu, prod', 'db']],
  ['the other is removed', 'eu, prod', ['eu, prod']],
  ['it is removed', 'db', ['db']],
  ['it is repeated', 'eu, prod, eu,prod', ['eu, prod']],
  ['a part of it is a tag, too', 'eu, prod, prod, db', ['eu, prod', 'prod', 'db']]
]
for (const [name, tags, sent] of cases)
  t.test(`a tag with a comma stays whole when ${name}`, async (t) => {
    t.same(changeOf({ ...before, tags }, before, NOW).scope?.tags, sent)
  })

t.test('a tag with a comma stays whole when another field of the scope changes, and in a copy', async (t) => {
  const monitor_ids = ['0190aaaa-0000-7000-8000-000000000001']
  t.match(changeOf({ ...before, monitor_ids }, before, NOW).scope, { monitor_ids, tags: window.scope.tags })
  const { tags, matchers } = window.scope
  t.match(bodyOf(likeBefore(window, NOW, 'UTC'), NOW).scope, { tags, matchers })
})
