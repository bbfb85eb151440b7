/** Who belongs to the workspace, in which role, and who is invited. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { linkedSendersQuery } from '../../api/chat.ts'
import { useMay } from '../../api/session.ts'
import { invitesQuery, isFull, membersQuery, useLimit } from '../../api/workspace.ts'
import { figure } from '../../parts/clock.ts'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { useKeys } from '../../shell/keys.ts'
import { membersText } from '../../texts/members.ts'
import { Invites } from './Invites.tsx'
import { LinkedSenders } from './LinkedSenders.tsx'
import { People } from './People.tsx'

const InviteDialog = lateDialog(async () => (await import('./InviteDialog.tsx')).InviteDialog)

/** `6 people, 1 invited`. */
function answerOf(total: number, invited: number): string {
  const people = total === 1 ? membersText('answer.one') : membersText('answer.people', { count: figure(total) })
  return invited > 0 ? membersText('answer.invited', { people, count: figure(invited) }) : people
}

export function Members() {
  const { invite } = useSearch({ from: '/inside/settings/members' })
  const navigate = useNavigate()
  const may = useMay('administer')
  const asked = useQuery(membersQuery)
  const { data: members } = asked
  const invited = useQuery({ ...invitesQuery, enabled: may })
  const { data: invites } = invited
  const waits = stillComes(asked, invited, useQuery({ ...linkedSendersQuery, enabled: may }))
  const seats = useLimit('members')
  const full = isFull(seats)
  const show = (opened: boolean): void => void navigate({ to: '/settings/members', search: opened ? { invite: 'yes' } : {} })
  useKeys(may && !full ? { c: () => show(true) } : {})

  const open = invites?.items.filter(({ expires_at }) => Date.parse(expires_at) > Date.now()).length ?? 0
  return (
    <>
      <PageHead
        title={membersText('page.title')}
        answer={members && !waits ? answerOf(members.total, open) : membersText('page.title')}
        actions={
          may && (
            <Button aria-haspopup="dialog" leftSection={<UserPlus size={16} aria-hidden />} onClick={() => show(true)} disabled={full}>
              {membersText('page.invite')}
            </Button>
          )
        }
      >
        {!may && <span>{membersText('page.may_not')}</span>}
        {may && full && <span role="status">{membersText('page.full', { count: seats?.limit ?? '' })}</span>}
      </PageHead>
      {members && !waits ? <People members={members.items} /> : <Awaiting of={asked} rows={3} height={56} />}
      {may && !waits && <Invites members={members?.items ?? []} />}
      {may && !waits && <LinkedSenders />}
      {may && <InviteDialog opened={invite === 'yes'} onClose={() => show(false)} />}
    </>
  )
}
