/** Names and colours of the people of a schedule. */
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../api/session.ts'
import type { ScheduleLayer, ShiftItem } from '../../api/shapes.ts'
import { membersQuery } from '../../api/workspace.ts'
import { onCallText } from '../../texts/on-call.ts'
import { coloursOf } from './bars.ts'

/** Returns a function that names a person by their id. */
export function useNameOf(): (id: string) => string {
  const { data } = useQuery(membersQuery)
  return (id) => data?.items.find(({ user_id }) => user_id === id)?.name ?? (data ? onCallText('person.left') : '…')
}

export interface Choice {
  value: string
  label: string
}

/** Returns the members to choose from. The person who looks is marked. */
export function usePeople(): Choice[] {
  const { data } = useQuery(membersQuery)
  const { user } = useSession()
  return (data?.items ?? []).map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user?.id ? onCallText('person.you', { name }) : name
  }))
}

/**
 * Gives colours in the order of the layers, then of the shifts, so that a person has the same
 * colour in each week that is shown.
 */
export const coloursIn = (layers: readonly Pick<ScheduleLayer, 'participants'>[], shifts: readonly ShiftItem[]) =>
  coloursOf([
    ...layers.flatMap(({ participants }) => participants.flatMap((one) => [one ?? []].flat())),
    ...shifts.flatMap(({ user_ids }) => user_ids)
  ])
