/**
 * Private locations: regions that a workspace runs itself, in its own network.
 * Source: docs/design/api/account.md#ac-25 to #ac-27 and docs/design/api/prober.md#locations.
 */
import { type Static, Type } from 'typebox'
import { common, Instant, list, nullable, oneOf } from './common.ts'
import { namePattern } from './patterns.ts'

export const MAX_LOCATION_LABEL = 80
/** Most probers of one location. */
export const MAX_LOCATION_PROBERS = 100

/** Format of a location's code, which stands beside region codes in the regions of a monitor. */
const LOCATION_CODE = /^loc-[a-z0-9]{12}$/
export const isLocationCode = (code: string): boolean => LOCATION_CODE.test(code)

const Label = Type.String({ minLength: 1, maxLength: MAX_LOCATION_LABEL, pattern: namePattern })

export const CreateLocationBody = Type.Object({ label: Label }, { additionalProperties: false })
export type CreateLocationBody = Static<typeof CreateLocationBody>

export const UpdateLocationBody = Type.Object(
  {
    label: Type.Optional(Label),
    draining: Type.Optional(Type.Boolean({ description: 'Its probers finish what runs and begin nothing.' }))
  },
  { additionalProperties: false }
)
export type UpdateLocationBody = Static<typeof UpdateLocationBody>

/** How the version of a prober compares with the version of the service. */
export const versionSkews = ['none', 'too_old', 'too_new', 'unknown'] as const
export type VersionSkew = (typeof versionSkews)[number]

const Capacity = Type.Object({ concurrent: Type.Integer(), per_second: Type.Number() })

export const LocationProber = Type.Object({
  instance_id: Type.String(),
  version: Type.String(),
  version_skew: oneOf(versionSkews, { description: 'too_old, too_new: replace it; unknown: it tells no version of ours.' }),
  types: Type.Array(Type.String(), { description: 'Of check, that it can do.' }),
  capacity: nullable(Capacity),
  online: Type.Boolean(),
  leaving: Type.Boolean({ description: 'It said goodbye.' }),
  last_seen_at: Instant
})

const fields = {
  ...common,
  code: Type.String({ description: 'Stands among `regions` of a monitor.' }),
  label: Type.String(),
  draining: Type.Boolean(),
  online: Type.Boolean({ description: 'A prober of it is online, and it is not drained.' }),
  probers_online: Type.Integer(),
  last_seen_at: nullable(Instant),
  prober_version: nullable(Type.String({ description: 'Of the prober that was seen last.' })),
  types: Type.Array(Type.String(), { description: 'Of check: those that its probers online can do.' }),
  capacity: nullable(Capacity),
  probers: Type.Array(LocationProber, { description: `Seen within a week, at most ${MAX_LOCATION_PROBERS}, the last one first.` }),
  monitors: Type.Integer({ description: 'That it checks, as far as the caller sees them.' }),
  token_prefix: nullable(Type.String({ description: 'First characters of the token of its probers; null: it was revoked.' })),
  token_created_at: nullable(Instant),
  start: Type.String({ description: 'One line that starts a prober; with the token only where it was just made.' })
}

export const LocationDetail = Type.Object(fields)
export type LocationDetail = Static<typeof LocationDetail>
export const LocationList = list(LocationDetail)
/** The only answers that contain the token. */
export const LocationWithToken = Type.Object({ ...fields, token: Type.String({ description: 'Shown once.' }) })
export type LocationWithToken = Static<typeof LocationWithToken>
