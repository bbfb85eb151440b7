/**
 * Channels of the WebSocket: the topics that a client can subscribe to.
 * Source: docs/design/specification.md#s6-2, docs/design/api/realtime.md#rm-1.
 */
export const channels = ['monitors.status', 'heartbeats.status', 'notifications.feed', 'oncall'] as const
export type Channel = (typeof channels)[number]

/** The channels of a client that asks for none. */
export const usualChannels: readonly Channel[] = ['monitors.status', 'heartbeats.status', 'notifications.feed']
