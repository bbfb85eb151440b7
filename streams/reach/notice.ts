/**
 * Builds intents of notices. A digest or reminder goes to a person by a method that is read, never
 * by a call. A notice about who is on call goes to a channel. Pure.
 * Source: docs/design/api/notifications.md#digests, docs/design/api/on-call.md#notices.
 */
import type { NoticeEvent } from '../../schemas/http/notification-words.ts'
import type { Intent } from '../define.ts'
import type { Said } from './digest.ts'

type PersonalEvent = Exclude<NoticeEvent, 'on_call' | 'reminder'>

/** The kinds of methods, best first; the first verified one is used. No calls: notices can wait. */
const order: Readonly<Record<PersonalEvent, readonly string[]>> = {
  digest: ['email'],
  shift_reminder: ['email', 'push', 'sms'],
  handoff: ['email', 'push', 'sms']
}

interface Method {
  method_id: string
  kind: string
  verified: boolean
}

export interface NoticeIntent {
  tenant_id: string
  /** UUIDv5 of the subject, so a repeated decision creates no second intent. */
  intent_id: string
  event: PersonalEvent
  user_id: string
  methods: readonly Method[]
  said: Said
  /** Of the schedule; absent: the notice is about no object of a team. */
  about?: Pick<Intent, 'team_id' | 'visibility'>
  workspace: { name: string; slug: string }
  /** Path in the dashboard that the notice links to. */
  path: string
  why: Record<string, unknown>
  /** Epoch ms. `due_at`: the end of quiet hours if these hold it; null when they drop it. */
  at: number
  due_at: number | null
  expires_at: number
}

export function noticeIntent({
  event,
  methods,
  user_id,
  said,
  about = { team_id: null, visibility: 'org' },
  path,
  workspace,
  why,
  at,
  due_at,
  expires_at,
  ...ids
}: NoticeIntent): Intent {
  const kinds = order[event]
  const usable = methods.filter(({ kind }) => kinds.includes(kind))
  const rank = ({ kind }: Method): number => kinds.indexOf(kind)
  const method = usable.filter(({ verified }) => verified).sort((one, other) => rank(one) - rank(other))[0] ?? usable[0]
  const unusable = method === undefined ? ('no_method' as const) : method.verified ? null : ('unverified' as const)
  return {
    ...ids,
    incident_id: null,
    incident_ver: null,
    event,
    escalation: null,
    target: { user_id },
    method_id: method?.method_id ?? null,
    method_kind: method?.kind ?? null,
    urgency: 'default',
    why: { by: 'preference', ...why },
    suppressed_by: due_at === null ? 'quiet_hours' : unusable,
    suppressed_cause: null,
    ...about,
    at,
    due_at: due_at ?? at,
    expires_at,
    said: { ...said, path, workspace }
  }
}

export interface ChannelNotice
  extends Pick<NoticeIntent, 'tenant_id' | 'intent_id' | 'said' | 'workspace' | 'path' | 'why' | 'at' | 'expires_at'> {
  channel_id: string
  kind: string
  team_id: string | null
  visibility: Intent['visibility']
  /** The channel may receive data of the schedule's team. */
  may_hear: boolean
}

export function channelNotice({ channel_id, kind, may_hear, said, path, workspace, why, at, ...ids }: ChannelNotice): Intent {
  return {
    ...ids,
    incident_id: null,
    incident_ver: null,
    event: 'on_call',
    escalation: null,
    target: { channel_id },
    method_id: null,
    method_kind: kind,
    urgency: 'default',
    why: { by: 'preference', ...why },
    suppressed_by: may_hear ? null : 'not_visible',
    suppressed_cause: null,
    at,
    due_at: at,
    said: { ...said, path, workspace }
  }
}
