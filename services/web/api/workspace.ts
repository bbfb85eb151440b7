/** Workspace data for the settings: people, invites, tokens, limits. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { client, take } from './client.ts'
import { allPages, PER_PAGE } from './lists.ts'
import type { Usage } from './shapes.ts'

const AGAIN_MS = 30_000

export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/workspace', { signal }))
})

export const membersQuery = queryOptions({
  queryKey: ['members', 'list'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/workspace/members', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})

export const invitesQuery = queryOptions({
  queryKey: ['invites', 'list'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/workspace/invites', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})

export const tokensQuery = queryOptions({
  queryKey: ['tokens', 'list'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/workspace/tokens', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/workspace/usage', { signal })),
  refetchInterval: AGAIN_MS
})

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/workspace/limits', { signal }))
})

/**
 * Reads the resources again together with the usage, because a change of them changes seats or
 * tokens.
 */
export const readAgain = async (queries: QueryClient, ...resources: ('members' | 'invites' | 'tokens')[]): Promise<void> => {
  await Promise.all([...resources, 'usage'].map((resource) => queries.invalidateQueries({ queryKey: [resource] })))
}

export type CountedLimit = Usage['limits'][number]

/** Returns how much of a plan's limit is used; null while that is not known. */
export function useLimit(key: string): CountedLimit | null {
  const { data } = useQuery(usageQuery)
  return data?.limits.find((limit) => limit.key === key) ?? null
}

export const isFull = (counted: CountedLimit | null): boolean => counted !== null && counted.limit !== null && counted.used >= counted.limit

/** What the holder of an invite link sees. No log-in is needed. */
export const inviteQuery = (token: string) =>
  queryOptions({
    queryKey: ['invite', token],
    queryFn: ({ signal }) => take(client.GET('/api/v1/invites/{token}', { params: { path: { token } }, signal })),
    refetchOnWindowFocus: false
  })
