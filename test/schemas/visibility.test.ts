/** The rule of who sees objects that teams own, as a whole table, and what follows from it. */

import t from 'tap'
import { type MemberRole, roles } from '../../schemas/http/endpoints.ts'
import {
  isVisible,
  managesTeam,
  type Owned,
  seenBy,
  sightOf,
  teamRoles,
  teamVisibilities,
  wholeWorkspace
} from '../../schemas/http/visibility.ts'
import { audienceOf } from '../../streams/audience.ts'

const TEAM = '01890000-0000-7000-8000-00000000000a'
const OTHER = '01890000-0000-7000-8000-00000000000b'
const PERSON = '01890000-0000-7000-8000-00000000000c'
const high: readonly MemberRole[] = ['owner', 'admin']

/** The team of an object, as one person sees it: none, or open or private, and theirs or not. */
type Team = 'none' | 'open, theirs' | 'open, of others' | 'private, theirs' | 'private, of others'
const teams: readonly Team[] = ['none', 'open, theirs', 'open, of others', 'private, theirs', 'private, of others']

/**
 * Who sees an object, except owners and admins, in the words of docs/design/api/on-call.md#teams.
 */
const seen: Readonly<Record<Owned['visibility'], Readonly<Record<Team, boolean>>>> = {
  org: { none: true, 'open, theirs': true, 'open, of others': true, 'private, theirs': true, 'private, of others': false },
  private: { none: false, 'open, theirs': true, 'open, of others': false, 'private, theirs': true, 'private, of others': false }
}

const listsOf = (team: Team) => ({
  own_teams: team.endsWith(', theirs') ? [OTHER, TEAM] : [OTHER],
  hidden_teams: team === 'private, of others' ? [TEAM] : []
})

t.test('objects that a role sees, by team and visibility', async (t) => {
  let rows = 0
  for (const role of roles) {
    for (const team of teams) {
      for (const visibility of teamVisibilities) {
        const sight = sightOf(role, listsOf(team))
        const visible = isVisible(sight, { team_id: team === 'none' ? null : TEAM, visibility })
        t.equal(visible, high.includes(role) || seen[visibility][team], `${role}: ${visibility}, team ${team}`)
        rows += 1
      }
    }
  }
  t.equal(rows, 6 * 5 * 2)
})

t.test('owners and admins see everything, other roles see by their teams', async (t) => {
  for (const role of roles) {
    const sight = sightOf(role, { own_teams: [TEAM], hidden_teams: [OTHER] })
    t.same(sight, high.includes(role) ? 'all' : { own: [TEAM], hidden: [OTHER] }, role)
    t.equal(seenBy(role, PERSON), high.includes(role) ? null : PERSON, `whose teams count: ${role}`)
  }
  t.same(wholeWorkspace(OTHER), { tenant_id: OTHER, seen_by: null })
})

t.test('an object of a team in neither list is visible, and in both lists hidden', async (t) => {
  t.ok(isVisible({ own: [], hidden: [] }, { team_id: TEAM, visibility: 'org' }))
  t.notOk(isVisible({ own: [TEAM], hidden: [TEAM] }, { team_id: TEAM, visibility: 'org' }))
})

t.test('people who may change a team, by role and visibility', async (t) => {
  for (const role of roles) {
    for (const visibility of teamVisibilities) {
      for (const teamRole of [...teamRoles, null]) {
        const may = high.includes(role) || visibility === 'org' || teamRole === 'lead'
        t.equal(managesTeam(role, visibility, teamRole), may, `${role}, ${teamRole ?? 'no member'}: ${visibility}`)
      }
    }
  }
})

t.test('frames go only to the audience that may see the object', async (t) => {
  t.equal(audienceOf({ team_id: null, visibility: 'org' }), 'tenant')
  t.equal(audienceOf({ team_id: TEAM, visibility: 'org' }), `org-team:${TEAM}`)
  t.equal(audienceOf({ team_id: TEAM, visibility: 'private' }), `team:${TEAM}`)
  t.equal(audienceOf({ team_id: null, visibility: 'private' }), null)
})
