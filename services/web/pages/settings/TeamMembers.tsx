/**
 * The members of a team, leads first. People who manage the team can add, change and remove them.
 */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { seesAllTeams } from '../../../../schemas/http/rights.ts'
import type { TeamRole } from '../../../../schemas/http/visibility.ts'
import { useSession } from '../../api/session.ts'
import type { TeamDetail, TeamMember } from '../../api/shapes.ts'
import { leaveTeam, putTeamMember, readTeamsAgain, removeTeamMember, teamQuery } from '../../api/teams.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { Section } from '../../parts/Page.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { useKeys } from '../../shell/keys.ts'
import { namesText } from '../../texts/names.ts'
import { teamsText } from '../../texts/teams.ts'
import classes from './List.module.css'
import { roleWords } from './roles.ts'

const AddMemberDialog = lateDialog(async () => (await import('./AddMemberDialog.tsx')).AddMemberDialog)

export function TeamMembers({ team, manages }: { team: TeamDetail; manages: boolean }) {
  const { id, members, visibility } = team
  const { add } = useSearch({ from: '/inside/settings/teams/$id' })
  const navigate = useNavigate()
  const show = (opened: boolean): void =>
    void navigate({ to: '/settings/teams/$id', params: { id }, search: opened ? { add: 'yes' } : {}, resetScroll: false })
  useKeys(manages ? { c: () => show(true) } : {})
  return (
    <Section
      title={teamsText('members.title')}
      aside={
        manages && (
          <Button
            variant="default"
            className={classes.add}
            aria-haspopup="dialog"
            leftSection={<UserPlus size={16} aria-hidden />}
            onClick={() => show(true)}
          >
            {teamsText('members.add')}
          </Button>
        )
      }
    >
      {members.length === 0 ? (
        <p className={classes.note}>{visibility === 'private' ? teamsText('members.none_private') : teamsText('members.none')}</p>
      ) : (
        <ul className={classes.list} aria-label={teamsText('members.title')}>
          {members.map((member) => (
            <Row key={member.user_id} team={team} member={member} manages={manages} />
          ))}
        </ul>
      )}
      {manages && <AddMemberDialog team={team} opened={add === 'yes'} onClose={() => show(false)} />}
    </Section>
  )
}

function Row({ team, member, manages }: { team: TeamDetail; member: TeamMember; manages: boolean }) {
  const { user_id, name, email, role, workspace_role } = member
  const { user } = useSession()
  const mine = user?.id === user_id
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{mine ? namesText('person.you', { name }) : name}</p>
        <p className={classes.facts}>
          <span>{role === 'lead' ? teamsText('members.lead') : teamsText('members.member')}</span>
          <span>{email}</span>
          <span title={roleWords(workspace_role).does}>{roleWords(workspace_role).name}</span>
        </p>
      </div>
      {(manages || mine) && (
        <div className={classes.actions}>
          {manages && <RoleButton team={team} member={member} />}
          <Removal team={team} member={member} mine={mine} />
        </div>
      )}
    </li>
  )
}

function RoleButton({ team: { id }, member: { user_id, name, role } }: { team: TeamDetail; member: TeamMember }) {
  const queries = useQueryClient()
  const other: TeamRole = role === 'lead' ? 'member' : 'lead'
  const does = other === 'lead' ? teamsText('members.make_lead') : teamsText('members.make_member')
  const { mutate, isPending } = useMutation({
    mutationFn: () => putTeamMember(id, user_id, other),
    onSuccess: (saved) => {
      queries.setQueryData(teamQuery(id).queryKey, saved)
      tellDone(other === 'lead' ? teamsText('members.is_lead', { name }) : teamsText('members.is_member', { name }))
    },
    onError: (error) => tellRefused(does, error),
    onSettled: () => void readTeamsAgain(queries)
  })
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()} aria-label={`${does}: ${name}`}>
      {does}
    </Button>
  )
}

function Removal({ team, member, mine }: { team: TeamDetail; member: TeamMember; mine: boolean }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { role } = useSession()
  const { id, visibility, name: teamName } = team
  const { user_id, name } = member
  const hidden = visibility === 'private'
  async function remove(): Promise<void> {
    await (mine ? leaveTeam(id) : removeTeamMember(id, user_id))
    // A person who has left a private team can no longer see it.
    if (mine && hidden && !seesAllTeams(role)) await navigate({ to: '/settings/teams' })
    void readTeamsAgain(queries)
    tellDone(mine ? teamsText('members.left', { team: teamName }) : teamsText('members.removed', { name }))
  }
  const verb = mine ? teamsText('members.leave') : teamsText('members.remove')
  return (
    <Confirm
      label={verb}
      aria-label={mine ? `${verb} ${teamName}` : `${verb} ${name}`}
      question={
        mine ? teamsText('members.leave_question', { team: teamName }) : teamsText('members.remove_question', { name, team: teamName })
      }
      verb={verb}
      act={remove}
    >
      {!hidden ? teamsText('members.remove_open') : mine ? teamsText('members.leave_private') : teamsText('members.remove_private')}
    </Confirm>
  )
}
