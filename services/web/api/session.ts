/** Who is logged in, and what they may do. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import type { Scope } from '../../../schemas/http/endpoints.ts'
import { scopesOfRole } from '../../../schemas/http/rights.ts'
import { follow } from '../language.ts'
import { tellRefused } from '../parts/tell.ts'
import { statesText } from '../texts/states.ts'
import { client, Refusal, take } from './client.ts'
import type { Session } from './shapes.ts'

/**
 * How long the cookie of a new session may take to arrive after the old one has ended, in ms.
 * Another tab that switches the workspace ends the session of this one.
 */
const SWITCH_MS = 1_000

async function readSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return await take(client.GET('/api/v1/auth/session', { signal }))
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null
    throw error
  }
}

/** Whose data the page shows: the workspace and the person. */
export const holderOf = ({ workspace, user }: Pick<Session, 'workspace' | 'user'>): string => `${workspace.id} ${user?.id ?? ''}`

/** Removes all data but the session. */
const forgetOthers = (queries: QueryClient): void =>
  queries.removeQueries({ predicate: ({ queryKey: [resource] }) => resource !== 'session' })

/** The session of the person. Null: nobody is logged in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal, client: queries }): Promise<Session | null> => {
    const before = queries.getQueryData<Session | null>(['session']) ?? null
    let session = await readSession(signal)
    if (session === null && before !== null) {
      await new Promise((resolve) => setTimeout(resolve, SWITCH_MS))
      session = await readSession(signal)
    }
    // The language and zone are set before anything is drawn for the person.
    if (session?.user) await follow(session.user)
    // Nothing of another workspace or person may be drawn under the new names.
    if (session && before && holderOf(session) !== holderOf(before)) forgetOthers(queries)
    return session
  },
  staleTime: 60_000,
  // A role that somebody else changed takes effect without a reload of the page.
  refetchInterval: 60_000
})

/**
 * Provides the session to all components below it. They see the one that the frame around them was
 * drawn with: the cached one may end just before one of them is drawn again.
 */
export const SessionProvider = createContext<Session | null>(null)

/** Returns the session. Throws without a `SessionProvider` above. */
export function useSession(): Session {
  const session = use(SessionProvider)
  if (!session) throw new Error('useSession: there is no SessionProvider above')
  return session
}

export type Ability = 'write' | 'act' | 'send' | 'administer'

const scopeOf: Readonly<Record<Ability, Scope>> = { write: 'write', act: 'incidents:act', send: 'ingest', administer: 'admin' }

/** Whether a role allows the ability. The server makes the final decision. */
export const roleMay = (role: Session['role'], ability: Ability): boolean => scopesOfRole[role].includes(scopeOf[ability])

/** Whether the person's own role allows the ability. */
export const useMay = (ability: Ability): boolean => roleMay(useSession().role, ability)

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/account', { signal }))
})

export function useLogout() {
  const queries = useQueryClient()
  const leave = (): void => {
    // The session stays in the cache as null, so that components watching it go to the log-in.
    // All other data of the person is removed.
    queries.setQueryData(sessionQuery.queryKey, null)
    forgetOthers(queries)
  }
  const logout = useMutation({
    mutationFn: () => take(client.POST('/api/v1/auth/logout')),
    onSuccess: leave,
    onError: (error) => {
      // The session has ended already.
      if (error instanceof Refusal && error.status === 401) leave()
      else tellRefused(statesText('refused.logout'), error, () => logout.mutate())
    }
  })
  return logout
}

/** Switching the workspace reloads the page, so that no data of the old one stays in memory. */
export function useSwitchWorkspace() {
  return useMutation({
    mutationFn: (workspace_id: string) => take(client.POST('/api/v1/auth/workspace', { body: { workspace_id } })),
    onSuccess: () => location.assign('/'),
    onError: (error) => tellRefused(statesText('refused.switch'), error)
  })
}
