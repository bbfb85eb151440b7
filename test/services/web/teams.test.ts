/** Tests of teams in words, of what a choice of teams offers, and of which team owns an object. */
import t from 'tap'
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { managesOwner } from '../../../services/web/api/team-rights.ts'
import { teamChoices } from '../../../services/web/forms/team-choices.ts'
import { changeInWords, membersInWords, teamsAnswer } from '../../../services/web/pages/settings/team-words.ts'
import { isPrivate } from '../../../services/web/parts/is-private.ts'

const open = { id: 'o', name: 'Storage', visibility: 'org' } as const
const hidden = { id: 'h', name: 'Payments', visibility: 'private' } as const

t.test('the whole workspace is the first choice, and a private team is marked', async (t) => {
  t.same(teamChoices([open, hidden], [open, hidden], ''), [
    { value: '', label: 'Whole workspace' },
    { value: 'o', label: 'Storage' },
    { value: 'h', label: 'Payments (private)' }
  ])
})

t.test('the chosen team stays among the choices', async (t) => {
  t.same(teamChoices([open], [open, hidden], 'h').at(-1), { value: 'h', label: 'Payments (private)' }, 'one that is not offered')
  t.same(teamChoices([open], [open], 'gone').at(-1), { value: 'gone', label: 'Deleted team' })
  t.same(teamChoices([], [], '', 'Any team'), [{ value: '', label: 'Any team' }])
})

t.test('numbers of teams and members in words', async (t) => {
  const cases: [teams: { id: string }[], own: string[], answer: string][] = [
    [[], [], 'No team yet'],
    [[open], [], '1 team, you are in none'],
    [[open, hidden], ['h'], '2 teams, you are in 1'],
    [[open], ['o', 'deleted'], '1 team, you are in 1']
  ]
  for (const [teams, own, answer] of cases) t.equal(teamsAnswer(teams, own), answer)
  t.equal(membersInWords(1), '1 member')
  t.equal(membersInWords(0), '0 members')
})

t.test('a change of visibility explains its effect before it is saved', async (t) => {
  t.equal(changeInWords('Payments', 'org', 'org'), null)
  t.match(changeInWords('Payments', 'org', 'private'), /only members of Payments, owners and admins can see/)
  t.match(changeInWords('Payments', 'private', 'org'), /everybody in the workspace can see what Payments owns/)
})

t.test('who may change what a team owns, also before the list of teams is read', async (t) => {
  const listed = [open, hidden]
  const cases: [role: MemberRole, team_id: string | null, teams: typeof listed | undefined, expected: ReturnType<typeof managesOwner>][] = [
    ['editor', null, undefined, true],
    ['editor', 'h', undefined, null],
    ['editor', 'o', undefined, null],
    ['admin', 'h', undefined, true],
    ['owner', 'h', listed, true],
    ['editor', 'o', listed, true],
    ['editor', 'h', listed, 'ask'],
    ['editor', 'deleted', listed, true]
  ]
  for (const [role, team_id, teams, expected] of cases)
    t.equal(managesOwner(role, team_id, teams), expected, `${role} ${team_id} ${teams ? 'read' : 'not read'}`)
})

t.test('an object is private by its own setting or by its private team', async (t) => {
  const cases: [visibility: 'org' | 'private', team: typeof open | typeof hidden | undefined, expected: boolean][] = [
    ['org', undefined, false],
    ['org', open, false],
    ['org', hidden, true],
    ['private', open, true],
    ['private', undefined, true]
  ]
  for (const [visibility, team, expected] of cases) t.equal(isPrivate(visibility, team), expected)
})
