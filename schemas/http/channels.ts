/**
 * Channels of the WebSocket: what a client may ask to hear.
 * Source: docs/design/specification.md#s6-2, docs/design/api/realtime.md#rm-1.
 */
export const channels = ['monitors.status', 'heartbeats.status', 'notifications.feed'] as const
export type Channel = (typeof channels)[number]
