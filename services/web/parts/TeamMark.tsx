/**
 * Shows which team owns an object, and whether the object is private: an icon and words, never
 * colour alone.
 */

import { useQuery } from '@tanstack/react-query'
import { Lock, Users } from 'lucide-react'
import type { Owned } from '../../../schemas/http/visibility.ts'
import { teamsQuery } from '../api/lists.ts'
import { teamMarkText } from '../texts/team-marks.ts'
import { isPrivate } from './is-private.ts'
import classes from './TeamMark.module.css'

/** `visibility`: the object's own. Most kinds of object have none and follow their team. */
export function TeamMark({ team_id, visibility = 'org' }: Pick<Owned, 'team_id'> & Partial<Pick<Owned, 'visibility'>>) {
  // Most rows of a list belong to no team; for them no request is made.
  return team_id === null && visibility === 'org' ? null : <OwnedMark team_id={team_id} visibility={visibility} />
}

function OwnedMark({ team_id, visibility }: Pick<Owned, 'team_id' | 'visibility'>) {
  const { data } = useQuery(teamsQuery)
  const team = data?.items.find(({ id }) => id === team_id)
  const hidden = isPrivate(visibility, team)
  // The team is unknown until the teams are loaded.
  if (!data && !hidden) return null
  const Icon = hidden ? Lock : Users
  return (
    <span className={classes.mark} data-private={hidden || undefined}>
      <Icon size={13} aria-hidden strokeWidth={2.2} />
      {team_id !== null && (
        <span className={classes.name}>
          <span className="unseen">{teamMarkText('team.label')} </span>
          {team?.name ?? (data ? teamMarkText('team.deleted') : '')}
        </span>
      )}
      {hidden && <PrivateWord />}
    </span>
  )
}

const PrivateWord = () => <span className={classes.private}>{teamMarkText('team.private')}</span>

/** The mark of a private team itself. */
export function PrivateMark() {
  return (
    <span className={classes.mark} data-private>
      <Lock size={13} aria-hidden strokeWidth={2.2} />
      <PrivateWord />
    </span>
  )
}
