/** Tests of the reasons that an alert gives for why nobody is notified about it. */
import t from 'tap'
import { suppressors } from '../../../schemas/http/alerts.ts'
import { toAlertDetail } from '../../../services/api/alerts/detail.ts'
import { type HoldFacts, noFacts } from '../../../streams/incident/holds.ts'
import { compileWindows } from '../../../streams/maintenance/windows.ts'
import { compileSilences } from '../../../streams/routing/silences.ts'
import { record } from '../../harness/records.ts'

const AT = Date.parse('2026-03-01T12:00:00Z')
const HOUR = 3_600_000
const [MONITOR, WINDOW, SILENCE, RULE] = ['a1', 'b1', 'c1', 'd1'].map((end) => `01890000-0000-7000-8000-0000000000${end}`) as [
  string,
  string,
  string,
  string
]

const paused = (by_plan: boolean): Partial<HoldFacts> => ({ paused: new Map([[MONITOR, { by_plan, until: null }]]) })
const windows = compileWindows(
  [
    {
      window_id: WINDOW,
      version: 1,
      effect: 'suppress_notifications',
      scope: { all: true, monitor_ids: [], heartbeat_ids: [], integration_ids: [], tags: [], matchers: [] },
      settle_seconds: 0,
      spans: [{ starts_at: AT - HOUR, ends_at: AT + HOUR }],
      tagged: []
    }
  ],
  []
)
const silences = compileSilences(
  [
    {
      silence_id: SILENCE,
      matchers: [{ field: 'title', op: 'contains', value: 'Disk' }],
      starts_at: AT - HOUR,
      ends_at: AT + HOUR,
      expired_at: null
    }
  ],
  []
)

t.test('the first reason in order says why an alert is suppressed', async (t) => {
  const { routing, ...alert } = { ...record('AlertEvent').alert, title: 'Disk full', monitor_id: MONITOR, status: 'ongoing' as const }
  const byRule = { ...routing, matched_rule_ids: [RULE], suppressed_by_rule_id: RULE }
  const rows: [facts: Partial<HoldFacts>, kind: string, id: string][] = [
    [{ ...paused(false), windows, silences }, 'pause', MONITOR],
    [paused(true), 'pause', MONITOR],
    [{ windows, silences }, 'maintenance', WINDOW],
    [{ silences }, 'silence', SILENCE],
    [{}, 'rule', RULE]
  ]
  for (const [facts, kind, id] of rows) {
    const { suppressed_by } = toAlertDetail(
      { ...alert, routing: byRule } as Parameters<typeof toAlertDetail>[0],
      { ...noFacts, ...facts },
      AT
    )
    t.same(suppressed_by, { kind, id }, kind)
    t.ok((suppressors as readonly string[]).includes(kind))
  }
  t.equal(toAlertDetail({ ...alert, routing: null }, noFacts, AT).suppressed_by, null)
})
