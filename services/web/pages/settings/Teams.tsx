/** The teams of the workspace that the person sees, and which of them are their own. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Users } from 'lucide-react'
import { teamsQuery } from '../../api/lists.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Team } from '../../api/shapes.ts'
import { isFull, useLimit } from '../../api/workspace.ts'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { PrivateMark } from '../../parts/TeamMark.tsx'
import { useKeys } from '../../shell/keys.ts'
import { teamsText } from '../../texts/teams.ts'
import classes from './List.module.css'
import { membersInWords, teamsAnswer } from './team-words.ts'

const TeamDialog = lateDialog(async () => (await import('./TeamDialog.tsx')).TeamDialog)

export function Teams() {
  const { create } = useSearch({ from: '/inside/settings/teams' })
  const navigate = useNavigate()
  const may = useMay('write')
  const { user } = useSession()
  const own = user?.teams ?? []
  const asked = useQuery(teamsQuery)
  const { data: teams } = asked
  const limit = useLimit('teams')
  const full = isFull(limit)
  const show = (opened: boolean): void => void navigate({ to: '/settings/teams', search: opened ? { create: 'yes' } : {} })
  useKeys(may && !full ? { c: () => show(true) } : {})
  const button = may && (
    <Button aria-haspopup="dialog" leftSection={<Plus size={16} aria-hidden />} onClick={() => show(true)} disabled={full}>
      {teamsText('list.create')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={teamsText('team.title')}
        answer={teams ? teamsAnswer(teams.items, own) : teamsText('team.title')}
        actions={teams?.total === 0 ? null : button}
      >
        {!may && <span>{teamsText('list.read_only')}</span>}
        {may && full && <span role="status">{teamsText('list.full', { count: limit?.limit ?? 0 })}</span>}
      </PageHead>
      {!teams ? (
        <Awaiting of={asked} rows={3} height={56} />
      ) : teams.items.length === 0 ? (
        <Empty icon={Users} title={teamsText('list.empty')} action={button}>
          {teamsText('list.empty_hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={teamsText('team.title')}>
          {teams.items.map((team) => (
            <Row key={team.id} team={team} mine={own.includes(team.id)} />
          ))}
        </ul>
      )}
      {may && <TeamDialog opened={create === 'yes'} onClose={() => show(false)} />}
    </>
  )
}

function Row({ team: { id, name, description, visibility, member_count }, mine }: { team: Team; mine: boolean }) {
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/settings/teams/$id" params={{ id }}>
            {name}
          </Link>
        </p>
        <p className={classes.facts}>
          {visibility === 'private' && <PrivateMark />}
          <span>{membersInWords(member_count)}</span>
          {mine && <span>{teamsText('list.mine')}</span>}
          {description !== '' && <span className={classes.line}>{description.split('\n', 1)[0]}</span>}
        </p>
      </div>
    </li>
  )
}
