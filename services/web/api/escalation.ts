/** Escalation policies, the schedules that they use, and escalation by hand. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import { allPages, PER_PAGE } from './lists.ts'
import type { Escalated, EscalateNow, NewPolicy, Policy, PolicyChange, PolicyDetail, Severity } from './shapes.ts'

/**
 * Frames tell about changes of policies and schedules, but not about changes of the objects that
 * use them.
 */
const AGAIN_MS = 120_000

/** The schedules that a form offers. */
export const schedulesToChoose = queryOptions({
  queryKey: ['schedules', 'list', 'choose'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/on-call/schedules', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})

export const policyQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/on-call/escalation-policies/{id}', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

export const POLICIES_PER_PAGE = 25
export const policiesQuery = (page = 1) =>
  queryOptions({
    queryKey: ['policies', 'list', page],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/on-call/escalation-policies', { params: { query: { page, per_page: POLICIES_PER_PAGE } }, signal })),
    refetchInterval: AGAIN_MS
  })

/** The policies that a form offers. */
export const policiesToChoose = queryOptions({
  queryKey: ['policies', 'list', 'choose'],
  queryFn: ({ signal }) =>
    allPages((page) =>
      take(client.GET('/api/v1/on-call/escalation-policies', { params: { query: { page, per_page: PER_PAGE } }, signal }))
    ),
  refetchInterval: AGAIN_MS
})

/** Simulates who would be notified and when; `at` null: now. Nothing is sent. */
export const courseQuery = ({ id, version }: Pick<Policy, 'id' | 'version'>, at: string | null, severity: Severity) =>
  queryOptions({
    queryKey: ['policies', 'course', id, version, at, severity],
    queryFn: ({ signal }) =>
      take(
        client.POST('/api/v1/on-call/escalation-policies/{id}/simulate', {
          ...of(id),
          body: { severity, ...(at !== null && { at }) },
          signal
        })
      )
  })

const of = (id: string) => ({ params: { path: { id } } })
/** A change applies only if the version is still the one that its author saw. */
const seen = (version: number) => ({ headers: { 'if-match': `"${version}"` } })

export const createPolicy = (body: NewPolicy): Promise<PolicyDetail> => take(client.POST('/api/v1/on-call/escalation-policies', { body }))
export const changePolicy = ({ id, version }: Pick<Policy, 'id' | 'version'>, body: PolicyChange): Promise<PolicyDetail> =>
  take(client.PATCH('/api/v1/on-call/escalation-policies/{id}', { ...of(id), body, ...seen(version) }))
export const deletePolicy = ({ id, version }: Pick<Policy, 'id' | 'version'>) =>
  take(client.DELETE('/api/v1/on-call/escalation-policies/{id}', { ...of(id), ...seen(version) }))

export const escalate = (id: string, body: EscalateNow): Promise<Escalated> =>
  take(client.POST('/api/v1/incidents/{id}/escalate', { params: { path: { id } }, body }))
