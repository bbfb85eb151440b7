/** Tests silences by a pattern: which silence holds an alert, and which alerts are never held. */
import t from 'tap'
import type { Condition } from '../../../schemas/http/routing-words.ts'
import type { Routable } from '../../../streams/routing/rules.ts'
import { compileSilences, matchingSilence, matchingSilences, noSilences, type Silence } from '../../../streams/routing/silences.ts'
import { alertOf, OTHER_TEAM, TEAM } from './build.ts'

const NOON = Date.parse('2026-03-01T12:00:00Z')
const HOUR = 3_600_000

const critical: Condition = { field: 'severity', op: 'eq', value: 'critical' }
const ofTeam: Condition = { field: 'team_id', op: 'eq', value: TEAM }

const silenceOf = (silence_id: string, over: Partial<Silence> = {}): Silence => ({
  silence_id,
  matchers: [critical],
  starts_at: NOON - HOUR,
  ends_at: NOON + HOUR,
  expired_at: null,
  ...over
})

const heldBy = (silences: readonly Silence[], alert: Routable = alertOf(), at = NOON, hidden: readonly string[] = []): string | null =>
  matchingSilence(compileSilences(silences, hidden), alert, at)?.silence_id ?? null

t.test('a silence holds only alerts that meet all its matchers', async (t) => {
  const db: Condition = { field: 'label.service', op: 'eq', value: 'db' }
  const web: Condition = { field: 'label.service', op: 'matches', value: '^w' }
  const rows: [string, Condition[], string | null][] = [
    ['one that holds', [critical], 'a'],
    ['two that hold', [critical, db], 'a'],
    ['one of two does not', [critical, web], null],
    ['a negation of what is not there', [{ field: 'region', op: 'not_in', value: ['eu-west'] }], 'a'],
    ['hours are in UTC', [{ field: 'hour', op: 'eq', value: 12 }], 'a'],
    ['another hour', [{ field: 'hour', op: 'eq', value: 13 }], null],
    ['none at all', [], null],
    ['one that cannot be read', [critical, { field: 'colour', op: 'eq', value: 'red' }], null]
  ]
  for (const [name, matchers, expected] of rows) t.equal(heldBy([silenceOf('a', { matchers })]), expected, name)
  t.equal(matchingSilence(noSilences, alertOf(), NOON), null, 'no silences')
})

t.test('a silence holds from its beginning until its end', async (t) => {
  const one = [silenceOf('a')]
  const rows: [string, number, string | null][] = [
    ['before', NOON - HOUR - 1, null],
    ['with its beginning', NOON - HOUR, 'a'],
    ['until just before its end', NOON + HOUR - 1, 'a'],
    ['at its end', NOON + HOUR, null]
  ]
  for (const [name, at, expected] of rows) t.equal(heldBy(one, alertOf(), at), expected, name)
  t.equal(heldBy([silenceOf('a', { expired_at: NOON - 1 })]), null, 'ended early')
})

t.test('matching silences are sorted by start time, then by id', async (t) => {
  const silences = [silenceOf('c'), silenceOf('b'), silenceOf('a', { starts_at: NOON - 1 }), silenceOf('d', { ends_at: NOON - 1 })]
  const orders = [silences, [...silences].reverse()]
  for (const order of orders) {
    t.equal(heldBy(order), 'b')
    const ids = (most: number) => matchingSilences(compileSilences(order, []), alertOf(), NOON, most).map((one) => one.silence_id)
    t.same(ids(9), ['b', 'c', 'a'])
    t.same(ids(2), ['b', 'c'], 'at most so many')
  }
})

t.test("a private team's alert is held only by a silence that names the team", async (t) => {
  const named: Condition = { field: 'team_id', op: 'in', value: [OTHER_TEAM, TEAM] }
  const others: Condition = { field: 'team_id', op: 'ne', value: OTHER_TEAM }
  const open = alertOf({ team_id: TEAM })
  const closed = alertOf({ team_id: TEAM, visibility: 'private' })
  const rows: [string, Condition[], Routable, string[], string | null][] = [
    ['of an open team', [critical], open, [], 'a'],
    ['beside a private team', [critical], open, [OTHER_TEAM], 'a'],
    ['of a private team', [critical], open, [TEAM], null],
    ['of a private team that is named', [critical, ofTeam], open, [TEAM], 'a'],
    ['that is one of several', [named], open, [TEAM, OTHER_TEAM], 'a'],
    ['to leave out another is not to name it', [others], open, [TEAM, OTHER_TEAM], null],
    ['private by itself', [critical], closed, [], null],
    ['private by itself, the team is named', [ofTeam], closed, [], 'a'],
    ['private and of nobody', [critical], alertOf({ visibility: 'private' }), [], null]
  ]
  for (const [name, matchers, alert, hidden, expected] of rows)
    t.equal(heldBy([silenceOf('a', { matchers })], alert, NOON, hidden), expected, name)
})
