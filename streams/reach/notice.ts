/**
 * The intent of a digest or reminder: to a person, by a method that is read and not rung. Pure.
 * Source: docs/design/api/notifications.md#digests.
 */
import type { NoticeEvent } from '../../schemas/http/notification-words.ts'
import type { Intent } from '../define.ts'
import type { Said } from './digest.ts'

/** The first of these that is verified: nobody is called for what can wait. */
const order: Readonly<Record<NoticeEvent, readonly string[]>> = {
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
  /** UUIDv5 of what it is about: deciding again makes no second one. */
  intent_id: string
  event: NoticeEvent
  user_id: string
  methods: readonly Method[]
  said: Said
  workspace: { name: string; slug: string }
  /** Of the dashboard, where it leads. */
  path: string
  why: Record<string, unknown>
  /** Epoch ms. `due_at`: when quiet hours end; null: they drop it. */
  at: number
  due_at: number | null
  expires_at: number
}

export function noticeIntent({
  event,
  methods,
  user_id,
  said,
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
    team_id: null,
    visibility: 'org',
    at,
    due_at: due_at ?? at,
    expires_at,
    said: { ...said, path, workspace }
  }
}
