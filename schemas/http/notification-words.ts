/**
 * Words of notifications that the api, the rules and the notifier share.
 * Source: docs/design/api/notifications.md#s8-1 and #s8-4.
 */

/** What a channel may be told of. */
export const channelEvents = ['down', 'up', 'ssl_expiry', 'acknowledged', 'assigned', 'degraded', 'maintenance', 'status_page'] as const
export type ChannelEvent = (typeof channelEvents)[number]

/**
 * What is told in words of its own: what a person asked for, that is about no incident; `on_call`:
 * what a schedule tells channels; `reminder`: that an incident goes on and nobody has acknowledged
 * it.
 */
export const noticeEvents = ['digest', 'shift_reminder', 'handoff', 'on_call', 'reminder'] as const
export type NoticeEvent = (typeof noticeEvents)[number]

/** What an intent may be about. */
export type IntentEvent = ChannelEvent | NoticeEvent | 'test'

/** The 26 kinds of channels. */
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

/** How one person is reached. */
export const methodKinds = ['email', 'sms', 'voice', 'push', 'telegram', 'slack_dm'] as const
export type MethodKind = (typeof methodKinds)[number]

/**
 * What chooses whom to tell: a step of a policy, a routing rule's channels, the default channels, a
 * person by hand, that somebody was told of the failure before, or a person's own wish.
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

/** Of one person, for what is urgent or for all else. */
export const MAX_RULES = 10
