/** The names of what rules name by id, and what a condition may choose from. */
import { useQuery } from '@tanstack/react-query'
import { channelsQuery } from '../../api/channels.ts'
import { policiesToChoose } from '../../api/escalation.ts'
import { heartbeatsQuery, integrationsQuery, monitorsQuery, teamsQuery } from '../../api/lists.ts'
import type { Rule } from '../../api/shapes.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { routingText } from '../../texts/routing.ts'
import { type NameOf, teamsNamed } from './rule-words.ts'

export interface Choice {
  value: string
  label: string
}

export interface Things {
  nameOf: NameOf
  /** What a field that holds ids may be; empty for other fields. */
  choicesOf: (field: string) => Choice[]
}

/** Monitors and heartbeats may be thousands: they are read only where `fields` asks for them. */
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

/** Whether the person may change a rule, by the private teams that it names. */
export function useManagesRule(): (rule: Pick<Rule, 'match' | 'actions'>) => boolean {
  const teams = useQuery(teamsQuery).data?.items ?? []
  const managed = new Set(useManagedTeams().map(({ id }) => id))
  return (rule) => {
    const named = teamsNamed(rule)
    return teams.every(({ id }) => !named.includes(id) || managed.has(id))
  }
}

/** Whether it names a private team. */
export function useNamesPrivate(): (rule: Pick<Rule, 'match' | 'actions'>) => boolean {
  const teams = useQuery(teamsQuery).data?.items ?? []
  return (rule) => teamsNamed(rule).some((team_id) => teams.some(({ id, visibility }) => id === team_id && visibility === 'private'))
}
