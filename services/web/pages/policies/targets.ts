/** The names of the targets of a policy, and the targets that its steps may choose from. */
import { useQuery } from '@tanstack/react-query'
import { channelsQuery } from '../../api/channels.ts'
import { schedulesToChoose } from '../../api/escalation.ts'
import { teamsQuery } from '../../api/lists.ts'
import { useSession } from '../../api/session.ts'
import { membersQuery } from '../../api/workspace.ts'
import { policiesText } from '../../texts/policies.ts'
import type { NameOf, Target } from './policy-words.ts'

export interface TargetGroup {
  group: string
  items: { value: string; label: string }[]
}

export interface Targets {
  /** While the lists are still loading, no target is called gone. */
  nameOf: NameOf
  /** Everything that can be asked, by `type:id`. */
  groups: TargetGroup[]
}

export const keyOf = ({ type, id }: Target): string => `${type}:${id}`

export function targetOf(value: string): Target | null {
  const [type, id = ''] = value.split(':')
  return type === 'user' || type === 'schedule' || type === 'team' || type === 'channel' ? { type, id } : null
}

export function useTargets(): Targets {
  const { user } = useSession()
  const members = useQuery(membersQuery).data?.items
  const schedules = useQuery(schedulesToChoose).data?.items
  const teams = useQuery(teamsQuery).data?.items
  const channels = useQuery(channelsQuery).data?.items
  const people = members?.map(({ user_id: id, name }) => ({
    id,
    name: id === user?.id ? policiesText('target.you', { name }) : name
  }))
  const lists = { user: people, schedule: schedules, team: teams, channel: channels, webhook: channels }
  const group = (type: 'user' | 'schedule' | 'team' | 'channel'): TargetGroup[] => {
    const items = (lists[type] ?? []).map(({ id, name }) => ({ value: keyOf({ type, id }), label: name }))
    return items.length === 0 ? [] : [{ group: policiesText(`group.${type}`), items }]
  }
  return {
    nameOf: ({ type, id }) => {
      const list = lists[type]
      return list?.find((one) => one.id === id)?.name ?? (list ? policiesText('target.gone') : '…')
    },
    groups: [...group('schedule'), ...group('user'), ...group('team'), ...group('channel')]
  }
}
