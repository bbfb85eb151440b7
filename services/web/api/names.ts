/** Turns actors such as `user:<id>` into names. */
import { useQuery } from '@tanstack/react-query'
import { namesText } from '../texts/names.ts'
import { integrationsQuery } from './lists.ts'
import { useSession } from './session.ts'
import { membersQuery } from './workspace.ts'

const parts = ['monitor', 'heartbeat', 'timer', 'api'] as const

/**
 * Returns a function that names an actor (kind:id) for the beginning of a sentence: `You`, `Alex`,
 * `Prometheus`, `The token deploys`. `given` is the name that came with the data, because only
 * admins may list tokens.
 */
export function useNames(): (actor: string | null, given?: string | null) => string {
  const { user } = useSession()
  const { data: members } = useQuery(membersQuery)
  const { data: integrations } = useQuery(integrationsQuery)
  return (actor, given = null) => {
    const [kind = '', ...rest] = (actor ?? 'system').split(':')
    const id = rest.join(':')
    if (kind === 'user') {
      if (id === user?.id) return namesText('you.begin')
      return members?.items.find(({ user_id }) => user_id === id)?.name ?? namesText(members ? 'somebody.left' : 'somebody.unknown')
    }
    if (kind === 'integration')
      return integrations?.items.find((integration) => integration.id === id)?.name ?? namesText('integration.deleted')
    if (kind === 'token') return given === null ? namesText('token.unknown') : namesText('token.named', { name: given })
    const part = parts.find((one) => one === id)
    return namesText(part ? `part.${part}` : 'part.service')
  }
}
