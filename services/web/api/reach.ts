/** How the person is notified, and the verification of their addresses. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client, Refusal, take } from './client.ts'
import type { Preferences, PreferencesChange, Verification } from './shapes.ts'

/** Phones register, and other tabs save, without a frame. */
const AGAIN_MS = 30_000

const readPreferences = (signal?: AbortSignal): Promise<Preferences> =>
  take(client.GET('/api/v1/notifications/preferences', signal ? { signal } : {}))

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => readPreferences(signal),
  refetchInterval: AGAIN_MS
})

/** The person's phones. Each one is also a contact method. */
export const devicesQuery = queryOptions({
  queryKey: ['preferences', 'devices'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/devices', { signal })).then(({ items }) => items),
  refetchInterval: AGAIN_MS
})

/** How often a change begins anew because somebody else was faster. */
const MAX_TRIES = 3

const isOld = (error: unknown): boolean => error instanceof Refusal && error.code === 'VERSION_MISMATCH'

/**
 * Reads the newest preferences and saves the change that `changeOf` makes of them, so that what was
 * added or set elsewhere since the page was read stays. Settings that are missing from the change
 * stay as they are.
 */
export async function changePreferences(queries: QueryClient, changeOf: (now: Preferences) => PreferencesChange): Promise<Preferences> {
  for (let nth = 1; ; nth++) {
    const now = await readPreferences()
    queries.setQueryData(preferencesQuery.queryKey, now)
    const { rules, quiet_hours, feed_categories, digest, shift_reminders_minutes, handoff_summary, version } = now
    const body = { rules, quiet_hours, feed_categories, digest, shift_reminders_minutes, handoff_summary, ...changeOf(now) }
    try {
      const saved = await take(client.PUT('/api/v1/notifications/preferences', { body, headers: { 'if-match': `"${version}"` } }))
      queries.setQueryData(preferencesQuery.queryKey, saved)
      return saved
    } catch (error) {
      if (!isOld(error) || nth === MAX_TRIES) throw error
    }
  }
}

/** One attempt, at once. */
export const testMethod = (id: string) =>
  take(client.POST('/api/v1/notifications/methods/{id}/test', { params: { path: { id } }, body: {} }))

/** Without a code the api sends one; with the code it confirms the address. */
export const verifyAddress = (body: Verification) => take(client.POST('/api/v1/notifications/channels/verify', { body }))
