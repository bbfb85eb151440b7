/** The names of those who did something: `user:<id>` and the like become words. */
import { useQuery } from '@tanstack/react-query'
import { integrationsQuery } from './lists.ts'
import { useSession } from './session.ts'
import { membersQuery } from './workspace.ts'

const parts: Readonly<Record<string, string>> = {
  monitor: 'The monitor',
  heartbeat: 'The heartbeat',
  timer: 'The timer',
  api: 'The API'
}

/**
 * Names an actor (kind:id) as the beginning of a sentence: `You`, `Alex`, `Prometheus`,
 * `The token deploys`. `given` is the name that came with it: only admins may list tokens.
 */
export function useNames(): (actor: string | null, given?: string | null) => string {
  const { user } = useSession()
  const { data: members } = useQuery(membersQuery)
  const { data: integrations } = useQuery(integrationsQuery)
  return (actor, given = null) => {
    const [kind = '', ...rest] = (actor ?? 'system').split(':')
    const id = rest.join(':')
    if (kind === 'user') {
      if (id === user?.id) return 'You'
      return members?.items.find(({ user_id }) => user_id === id)?.name ?? (members ? 'Somebody who left' : 'Somebody')
    }
    if (kind === 'integration') return integrations?.items.find((integration) => integration.id === id)?.name ?? 'A deleted integration'
    if (kind === 'token') return given === null ? 'An API token' : `The token ${given}`
    return parts[id] ?? 'The service'
  }
}
