/** Who is logged in, and what they may do. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Scope } from '../../../schemas/http/endpoints.ts'
import { scopesOfRole } from '../../../schemas/http/rights.ts'
import { follow } from '../language.ts'
import { tellRefused } from '../parts/tell.ts'
import { statesText } from '../texts/states.ts'
import { client, Refusal, take } from './client.ts'
import type { Session } from './shapes.ts'

/** null: nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await take(client.GET('/api/v1/auth/session', { signal }))
      // Before anything is drawn for the person.
      if (session.user) await follow(session.user)
      return session
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return null
      throw error
    }
  },
  staleTime: 60_000,
  // A role that somebody else has changed shows without loading the page again.
  refetchInterval: 60_000
})

/** Below the shell there is always somebody. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('useSession: nobody is logged in')
  return data
}

export type Ability = 'write' | 'act' | 'send' | 'administer'

const scopeOf: Readonly<Record<Ability, Scope>> = { write: 'write', act: 'incidents:act', send: 'ingest', administer: 'admin' }

/** Whether a role allows it; the server has the last word. */
export const roleMay = (role: Session['role'], ability: Ability): boolean => scopesOfRole[role].includes(scopeOf[ability])

/** Whether the person's role does. */
export const useMay = (ability: Ability): boolean => roleMay(useSession().role, ability)

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/account', { signal }))
})

export function useLogout() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => take(client.POST('/api/v1/auth/logout')),
    onSuccess: () => {
      // The session stays in the cache, as nobody's: whoever watches it leaves. What was read for
      // the person goes.
      queries.setQueryData(sessionQuery.queryKey, null)
      queries.removeQueries({ predicate: ({ queryKey: [resource] }) => resource !== sessionQuery.queryKey[0] })
    }
  })
}

/** Another workspace is another page: nothing of the one before stays in memory. */
export function useSwitchWorkspace() {
  return useMutation({
    mutationFn: (workspace_id: string) => take(client.POST('/api/v1/auth/workspace', { body: { workspace_id } })),
    onSuccess: () => location.assign('/'),
    onError: (error) => tellRefused(statesText('refused.switch'), error)
  })
}
