/**
 * One team: its members, what it owns, its name, and who can see what it owns. A person who may not
 * change it sees the same.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { managesTeam } from '../../../../schemas/http/visibility.ts'
import { isGone } from '../../api/client.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { TeamDetail } from '../../api/shapes.ts'
import { deleteTeam, readTeamsAgain, roleIn, teamQuery } from '../../api/teams.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { PrivateMark } from '../../parts/TeamMark.tsx'
import { tellDone } from '../../parts/tell.ts'
import { teamMarkText } from '../../texts/team-marks.ts'
import { teamsText } from '../../texts/teams.ts'
import { TeamMembers } from './TeamMembers.tsx'
import { TeamOwns } from './TeamOwns.tsx'
import { membersInWords } from './team-words.ts'

const TeamForm = lateForm(async () => (await import('./TeamForm.tsx')).TeamForm)

const back = { to: '/settings/teams', label: teamsText('team.title') }

export function TeamPage() {
  const { id } = useParams({ from: '/inside/settings/teams/$id' })
  const asked = useQuery(teamQuery(id))
  const { data: team, error } = asked
  // A person who was removed from a private team must not go on reading it.
  if (team && !isGone(error)) return <Shown key={id} team={team} />
  return (
    <>
      <PageHead title={teamMarkText('team.label')} answer={teamMarkText('team.label')} back={back} />
      {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
}

function Shown({ team }: { team: TeamDetail }) {
  const { id, name, description, visibility, member_count } = team
  const session = useSession()
  const mayWrite = useMay('write')
  const manages = mayWrite && managesTeam(session.role, visibility, roleIn(team, session))
  // What another person saves does not replace what is being typed.
  const [begun, setBegun] = useState(team)
  return (
    <>
      <PageHead title={name} answer={teamsText('page.answer', { name, members: membersInWords(member_count) })} back={back}>
        {visibility === 'private' && <PrivateMark />}
        <span>{visibility === 'private' ? teamsText('page.private_words') : teamsText('page.open_words')}</span>
        {!mayWrite && <span>{teamsText('page.read_only_role', { role: session.role })}</span>}
        {mayWrite && !manages && <span>{teamsText('page.read_only_private')}</span>}
      </PageHead>
      <TeamMembers team={team} manages={manages} />
      <TeamOwns team={team} />
      {manages ? (
        <>
          <TeamForm
            key={begun.version}
            team={begun}
            mayHide={managesTeam(session.role, 'private', roleIn(team, session))}
            onSaved={setBegun}
          />
          <Delete team={team} />
        </>
      ) : (
        description !== '' && (
          <Section title={teamsText('form.description')}>
            <Markdown text={description} />
          </Section>
        )
      )}
      <Facts facts={[[teamsText('fact.id'), <Copyable key="id" text={id} what={teamsText('copy.id')} />]]} />
    </>
  )
}

function Delete({ team: { id, name, visibility } }: { team: TeamDetail }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <Section title={teamsText('delete.label')}>
      <Confirm
        label={teamsText('delete.label')}
        question={teamsText('delete.question', { name })}
        verb={teamsText('delete.verb')}
        c="var(--bad)"
        act={async () => {
          await deleteTeam(id)
          await navigate({ to: '/settings/teams' })
          queries.removeQueries({ queryKey: teamQuery(id).queryKey })
          void readTeamsAgain(queries)
          tellDone(teamsText('delete.done', { name }))
        }}
      >
        {visibility === 'private' ? teamsText('delete.private_hint') : teamsText('delete.hint')}
      </Confirm>
    </Section>
  )
}
