/** How the person is notified, and the verification of their addresses. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { Preferences, PreferencesChange, Verification } from './shapes.ts'

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/preferences', { signal }))
})

/** The person's phones. Each one is also a contact method. */
export const devicesQuery = queryOptions({
  queryKey: ['preferences', 'devices'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/devices', { signal })).then(({ items }) => items)
})

/** Settings that are missing from the change stay as they are. */
export function savePreferences(before: Preferences, change: PreferencesChange): Promise<Preferences> {
  const { rules, quiet_hours, feed_categories, digest, shift_reminders_minutes, handoff_summary } = before
  const body = { rules, quiet_hours, feed_categories, digest, shift_reminders_minutes, handoff_summary, ...change }
  return take(client.PUT('/api/v1/notifications/preferences', { body }))
}

/** One attempt, at once. */
export const testMethod = (id: string) =>
  take(client.POST('/api/v1/notifications/methods/{id}/test', { params: { path: { id } }, body: {} }))

/** Without a code the api sends one; with the code it confirms the address. */
export const verifyAddress = (body: Verification) => take(client.POST('/api/v1/notifications/channels/verify', { body }))
