/** The names of objects that rules name by id, and the choices of a condition. */
import { useQuery } from '@tanstack/react-query'
import { channelsQuery } from '../../api/channels.ts'
import { policiesToChoose } from '../../api/escalation.ts'
import { heartbeatsQuery, integrationsQuery, monitorsQuery, teamsQuery } from '../../api/lists.ts'
import { useSession } from '../../api/session.ts'
import type { Rule } from '../../api/shapes.ts'
import { managesOwner } from '../../api/team-rights.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { routingText } from '../../texts/routing.ts'
import { type NameOf, teamsNamed } from './rule-words.ts'

export interface Choice {
  value: string
  label: string
}

export interface Things {
  nameOf: NameOf
  /** The choices of a field that holds ids; empty for other fields. */
  choicesOf: (field: string) => Choice[]
}

/**
 * There may be thousands of monitors and heartbeats, so they are read only if `fields` needs them.
 */
export function useThings(fields: readonly string[]): Things {
  const teams = useQuery(teamsQuery).data?.items ?? []
  const integrations = useQuery(integrationsQuery).data?.items ?? []
  const monitors = useQuery({ ...monitorsQuery(), enabled: fields.includes('monitor_id') }).data?.items ?? []
  const heartbeats = useQuery({ ...heartbeatsQuery(), enabled: fields.includes('heartbeat_id') }).data?.items ?? []
  const policies = useQuery(policiesToChoose).data?.items ?? []
  const channels = useQuery(channelsQuery).data?.items ?? []
  const lists: Readonly<Record<string, readonly { id: string; name: string }[]>> = {
    team_id: teams,
    integration_id: integrations,
    monitor_id: monitors,
    heartbeat_id: heartbeats
  }
  const names = new Map(
    [...Object.values(lists), policies, channels].flatMap((list) => list.map(({ id, name }): [string, string] => [id, name]))
  )
  return {
    nameOf: (id) => names.get(id) ?? routingText('form.gone'),
    choicesOf: (field) => (lists[field] ?? []).map(({ id, name }) => ({ value: id, label: name }))
  }
}

export const fieldsOf = ({ match: { all, any, none } }: Pick<Rule, 'match'>): string[] =>
  [...all, ...any, ...none].map(({ field }) => field)

/**
 * Whether the person may change a rule, which depends on the private teams that the rule names;
 * null while the teams are not known.
 */
export function useManagesRule(): (rule: Pick<Rule, 'match' | 'actions'>) => boolean | null {
  const { role } = useSession()
  const teams = useQuery(teamsQuery).data?.items
  const managed = new Set(useManagedTeams().map(({ id }) => id))
  return (rule) => {
    const named = teamsNamed(rule)
    if (!teams) return named.every((team_id) => managesOwner(role, team_id, teams) === true) || null
    return teams.every(({ id }) => !named.includes(id) || managed.has(id))
  }
}

/** Whether a rule names a private team. */
export function useNamesPrivate(): (rule: Pick<Rule, 'match' | 'actions'>) => boolean {
  const teams = useQuery(teamsQuery).data?.items ?? []
  return (rule) => teamsNamed(rule).some((team_id) => teams.some(({ id, visibility }) => id === team_id && visibility === 'private'))
}
