/** Channels of the WebSocket: what a client may ask to hear. Source: specification.md 6.2, api-design.md RM-1. */
export const channels = ['monitors.status', 'heartbeats.status', 'notifications.feed'] as const
export type Channel = (typeof channels)[number]
