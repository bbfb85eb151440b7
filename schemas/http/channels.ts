/**
 * Channels of the WebSocket: what a client may ask to hear.
 * Source: docs/design/specification.md#s6-2, docs/design/api/realtime.md#rm-1.
 */
export const channels = ['monitors.status', 'heartbeats.status', 'notifications.feed', 'oncall'] as const
export type Channel = (typeof channels)[number]

/** What a client hears that asks for none. */
export const usualChannels: readonly Channel[] = ['monitors.status', 'heartbeats.status', 'notifications.feed']
