/** How the person is reached, and the proof that an address is theirs. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { Preferences, PreferencesChange, Verification } from './shapes.ts'

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/preferences', { signal }))
})

/** Phones: each is a method, too. */
export const devicesQuery = queryOptions({
  queryKey: ['preferences', 'devices'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/devices', { signal })).then(({ items }) => items)
})

/** What is not in the change stays as it is. */
export function savePreferences(before: Preferences, change: PreferencesChange): Promise<Preferences> {
  const { rules, quiet_hours, feed_categories, digest, shift_reminders_minutes, handoff_summary } = before
  const body = { rules, quiet_hours, feed_categories, digest, shift_reminders_minutes, handoff_summary, ...change }
  return take(client.PUT('/api/v1/notifications/preferences', { body }))
}

/** One attempt, at once. */
export const testMethod = (id: string) =>
  take(client.POST('/api/v1/notifications/methods/{id}/test', { params: { path: { id } }, body: {} }))

/** Without a code one is sent; with it the address is confirmed. */
export const verifyAddress = (body: Verification) => take(client.POST('/api/v1/notifications/channels/verify', { body }))
