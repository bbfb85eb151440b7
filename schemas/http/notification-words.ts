/**
 * Words about notifications that the api, the rules and the notifier share.
 * Source: docs/design/api/notifications.md#s8-1 and #s8-4.
 */

/** Events that a channel can be notified about. */
export const channelEvents = ['down', 'up', 'ssl_expiry', 'acknowledged', 'assigned', 'degraded', 'maintenance', 'status_page'] as const
export type ChannelEvent = (typeof channelEvents)[number]

/** Events that nothing sends yet. The API accepts them, and forms do not offer them. */
const unsentEvents: readonly ChannelEvent[] = ['maintenance', 'status_page']

/** Returns the events that a form offers: those that are sent, and those that are `stored`. */
export const offeredEvents = (stored: readonly ChannelEvent[]): ChannelEvent[] =>
  channelEvents.filter((event) => !unsentEvents.includes(event) || stored.includes(event))

/**
 * Notifications with a text of their own. `on_call` is what a schedule tells channels. `reminder`
 * says that an incident continues and nobody has acknowledged it. The others were requested by a
 * person and are not about an incident.
 */
export const noticeEvents = ['digest', 'shift_reminder', 'handoff', 'on_call', 'reminder'] as const
export type NoticeEvent = (typeof noticeEvents)[number]

/** Everything that an intent can be about. */
export type IntentEvent = ChannelEvent | NoticeEvent | 'test'

/** The 26 kinds of notification channels. */
export const channelKinds = [
  'slack',
  'discord',
  'telegram',
  'email',
  'pagerduty',
  'opsgenie',
  'webhook',
  'msteams',
  'googlechat',
  'ntfy',
  'gotify',
  'apprise',
  'pushbullet',
  'servicenow',
  'freshservice',
  'linear',
  'rocketchat',
  'matrix',
  'mattermost',
  'victorops',
  'jira',
  'zendesk',
  'sns',
  'pushover',
  'sms',
  'voice'
] as const
export type ChannelKind = (typeof channelKinds)[number]

/** Kinds of channels that have no message for `degraded`. */
export const kindsWithoutDegraded: readonly ChannelKind[] = [
  'pagerduty',
  'opsgenie',
  'victorops',
  'jira',
  'linear',
  'servicenow',
  'zendesk',
  'freshservice',
  'voice',
  'webhook',
  'sns'
]

/** Ways to contact one person. */
export const methodKinds = ['email', 'sms', 'voice', 'push', 'telegram', 'slack_dm'] as const
export type MethodKind = (typeof methodKinds)[number]

/**
 * Why a recipient was chosen: a step of a policy, the channels of a routing rule, the default
 * channels, a person by hand, an earlier notification about the same failure, or a preference of
 * the person.
 */
export const intentReasons = ['policy', 'rule', 'default_channel', 'person', 'told_before', 'assigned', 'preference', 'test'] as const
export type IntentReason = (typeof intentReasons)[number]

/** What became of a delivery. Source: docs/design/api/notifications.md#s8-5. */
export const deliveryStates = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'retrying',
  'suppressed',
  'expired',
  'fallback_used'
] as const

/** Most rules of one person for urgent incidents, and most for all others. */
export const MAX_RULES = 10
