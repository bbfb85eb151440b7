/** Turns actors such as `user:<id>` into names. */
import { useQuery } from '@tanstack/react-query'
import { type Known, nameOfActor } from './actor-name.ts'
import { integrationsQuery } from './lists.ts'
import { useSession } from './session.ts'
import { membersQuery } from './workspace.ts'

/**
 * Returns a function that names an actor (kind:id) for the beginning of a sentence: `You`, `Alex`,
 * `Prometheus`, `The token deploys`. `given` is the name that came with the data, because only
 * admins may list tokens.
 */
export function useNames(): (actor: string | null, given?: string | null) => string {
  const { user } = useSession()
  const { data: members } = useQuery(membersQuery)
  const { data: integrations } = useQuery(integrationsQuery)
  const known: Known = { me: user?.id, members: members?.items, integrations: integrations?.items }
  return (actor, given) => nameOfActor(known, actor, given)
}
