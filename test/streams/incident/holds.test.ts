/** What keeps people from being told, in the order of decision rule 8. */
import t from 'tap'
import type { Alert, Incident } from '../../../schemas/generated/events.ts'
import type { Condition } from '../../../schemas/http/routing-words.ts'
import { type Hold, holdsOf, holdsOfAlert, MAX_MATCHING_SILENCES } from '../../../streams/incident/holds.ts'
import { compileSilences, noSilences, type Silence } from '../../../streams/routing/silences.ts'
import { record } from '../../harness/records.ts'

const AT = Date.parse('2026-03-01T12:00:00Z')
const HOUR = 3_600_000
const RULE = '01890000-0000-7000-8000-0000000000b1'
const INCIDENT = '01890000-0000-7000-8000-0000000000c1'

const ruled = {
  matched_rule_ids: [RULE],
  suppressed_by_rule_id: RULE,
  severity_by_rule: false,
  notify_resolved: true,
  auto_resolve_minutes: null
}

const incidentOf = (over: Partial<Incident> = {}): Incident =>
  record('Incident', { incident_id: INCIDENT, title: 'Disk full', severity: 'critical', status: 'ongoing', ...over })
const alertOf = (over: Partial<Alert> = {}): Alert => ({
  ...record('AlertEvent').alert,
  title: 'Disk full',
  severity: 'critical',
  status: 'ongoing',
  ...over
})

const disk: Condition = { field: 'title', op: 'contains', value: 'Disk' }
const silenceOf = (silence_id: string, over: Partial<Silence> = {}): Silence => ({
  silence_id,
  matchers: [disk],
  starts_at: AT - HOUR,
  ends_at: AT + HOUR,
  expired_at: null,
  ...over
})
const set = (...silences: Silence[]) => compileSilences(silences, [])

const own: Hold = { kind: 'silence', id: INCIDENT, until: AT + 1 }
const matched = (id: string): Hold => ({ kind: 'matcher_silence', id, until: AT + HOUR })
const byRule: Hold = { kind: 'rule', id: RULE, until: null }

t.test('of an incident', async (t) => {
  const silenced_until = AT + 1
  const rows: [string, Partial<Incident>, Silence[], Hold[]][] = [
    ['nothing', {}, [], []],
    ['its own silence', { silenced_until }, [], [own]],
    ['its own silence, which ends now', { silenced_until: AT }, [], []],
    ['a silence that matches', {}, [silenceOf('a')], [matched('a')]],
    ['silences that do not', {}, [silenceOf('a', { ends_at: AT }), silenceOf('b', { starts_at: AT + 1 })], []],
    ['several that match', {}, [silenceOf('b'), silenceOf('a')], [matched('a'), matched('b')]],
    ['a rule', { routing: ruled }, [], [byRule]],
    ['rules that hold nothing back', { routing: { ...ruled, suppressed_by_rule_id: null } }, [], []],
    ['all of them, in their order', { silenced_until, routing: ruled }, [silenceOf('a')], [own, matched('a'), byRule]],
    ['a resolved one is held by its rule alone', { status: 'resolved', silenced_until, routing: ruled }, [silenceOf('a')], [byRule]],
    ['the title that it came with counts', { title: 'Room', original_title: 'Disk full' }, [silenceOf('a')], [matched('a')]],
    ['and no other', { title: 'Disk full', original_title: 'Room' }, [silenceOf('a')], []]
  ]
  for (const [name, over, silences, expected] of rows) t.same(holdsOf(incidentOf(over), set(...silences), AT), expected, name)
})

t.test('so many silences are named, and no more', async (t) => {
  const many = Array.from({ length: MAX_MATCHING_SILENCES + 5 }, (_, at) => silenceOf(String(at).padStart(3, '0')))
  const found = holdsOf(incidentOf({ routing: ruled }), set(...many), AT)
  t.equal(found.length, MAX_MATCHING_SILENCES + 1)
  t.same(found.at(-1), byRule, 'the rule all the same')
})

t.test('of an alert', async (t) => {
  const rows: [string, Partial<Alert>, Silence[], Hold[]][] = [
    ['nothing', {}, [], []],
    ['a silence before a rule', { routing: ruled }, [silenceOf('a')], [matched('a'), byRule]],
    ['a resolved one', { status: 'resolved' }, [silenceOf('a')], []]
  ]
  for (const [name, over, silences, expected] of rows) t.same(holdsOfAlert(alertOf(over), set(...silences), AT), expected, name)
  t.same(holdsOfAlert(alertOf(), noSilences, AT), [])
})
