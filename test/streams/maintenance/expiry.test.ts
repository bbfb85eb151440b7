/** Tests of who is told of a deployment that has not ended. */
import t from 'tap'
import { expiryNotice } from '../../../streams/maintenance/expiry.ts'

const [open, hidden, other] = ['0a', '0b', '0c'].map((start) => `${start}000000-0000-4000-8000-000000000000`) as [string, string, string]

t.test('a notice is told only to those who may see the window', async (t) => {
  const window = { tenant_id: 'acme', window_id: 'w', name: 'Shop 1.2', deployment: { on_expire: 'alert' }, end_used_at: null } as const
  const about = (team_id: string) => ({ team_id, visibility: 'org' })
  const cases: [team_ids: string[], audience: string, about: object | undefined][] = [
    [[], 'editors', undefined],
    [[open], 'editors', about(open)],
    [[open, hidden], 'editors', about(hidden)],
    [[open, hidden, other], 'admins', undefined]
  ]
  for (const [team_ids, audience, expected] of cases) {
    const notice = expiryNotice({ ...window, team_ids }, [hidden, other], 0)
    t.same([notice?.audience, notice?.about], [audience, expected], team_ids.join())
  }
  t.equal(expiryNotice({ ...window, team_ids: [], end_used_at: 1 }, [], 0), null)
  t.equal(expiryNotice({ ...window, team_ids: [], deployment: { on_expire: 'end' } }, [], 0), null)
})
