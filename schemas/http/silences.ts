/** Silences by a pattern. Source: docs/design/api/alerts-and-routing.md#s6-4. */
import { type Static, Type } from 'typebox'
import { MAX_SILENCE_REASON } from '../limits.ts'
import { AlertDetail } from './alerts.ts'
import { common, Instant, list, nullable, oneOf, paging } from './common.ts'
import { Condition, Warning } from './routing.ts'
import { MAX_CONDITIONS } from './routing-words.ts'
import { silenceStates } from './silence-words.ts'

/** Most pending and active silences of a workspace. */
export const MAX_SILENCES = 500
export const MAX_SILENCE_DAYS = 90
/** How far ahead a silence may begin. */
export const MAX_SILENCE_AHEAD_DAYS = 366
/** Most alerts that a preview shows. */
export const MAX_PREVIEW = 50

const closed = { additionalProperties: false } as const

const settings = {
  // A silence without a matcher would mute everything.
  matchers: Type.Array(Condition, { minItems: 1, maxItems: MAX_CONDITIONS, description: 'Conditions that must all hold.' }),
  comment: Type.String({ minLength: 1, maxLength: MAX_SILENCE_REASON, pattern: '\\S', description: 'Reason for the silence.' }),
  starts_at: Type.Unsafe<string>({ ...Instant, description: 'Default: now. A time that has passed counts as now.' }),
  ends_at: Type.Unsafe<string>({ ...Instant, description: `At most ${MAX_SILENCE_DAYS} days after starts_at.` })
}

export const CreateSilenceBody = Type.Object({ ...settings, starts_at: Type.Optional(settings.starts_at) }, closed)
export type CreateSilenceBody = Static<typeof CreateSilenceBody>
export const UpdateSilenceBody = Type.Object(
  {
    matchers: Type.Optional(settings.matchers),
    comment: Type.Optional(settings.comment),
    starts_at: Type.Optional(settings.starts_at),
    ends_at: Type.Optional(settings.ends_at)
  },
  closed
)
export type UpdateSilenceBody = Static<typeof UpdateSilenceBody>

export const CreateSilenceQuery = Type.Object(
  { preview: Type.Optional(Type.Boolean({ default: false, description: 'Return the alerts that match now, and save nothing.' })) },
  closed
)

export const SilenceQuery = Type.Object({ ...paging, state: Type.Optional(Type.Array(oneOf(silenceStates), { maxItems: 3 })) }, closed)

export const SilenceDetail = Type.Object({
  ...common,
  matchers: Type.Array(Condition),
  comment: Type.String(),
  starts_at: Instant,
  ends_at: Instant,
  expired_at: nullable(Type.Unsafe<string>({ ...Instant, description: 'When somebody ended the silence early; null when nobody did.' })),
  state: oneOf(silenceStates),
  scope: oneOf(['notifications'], { description: 'What the silence holds back.' }),
  created_by: Type.String({ description: 'Who created the silence, as kind:id, for example user:<id>.' }),
  warnings: Type.Array(Warning)
})
export type SilenceDetail = Static<typeof SilenceDetail>
export const SilenceList = list(SilenceDetail)

export const SilencePreview = Type.Object({
  alerts: Type.Array(AlertDetail, { description: `Those that started last, at most ${MAX_PREVIEW}.` }),
  total: Type.Integer({ description: 'Number of ongoing alerts that match.' }),
  complete: Type.Boolean({ description: 'false when there are more ongoing alerts than were examined.' }),
  warnings: Type.Array(Warning)
})
export type SilencePreview = Static<typeof SilencePreview>
