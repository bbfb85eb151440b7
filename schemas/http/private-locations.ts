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

/** Format of a location's code. The regions of a monitor hold it beside region codes. */
const LOCATION_CODE = /^loc-[a-z0-9]{12}$/
export const isLocationCode = (code: string): boolean => LOCATION_CODE.test(code)

const Label = Type.String({ minLength: 1, maxLength: MAX_LOCATION_LABEL, pattern: namePattern })

export const CreateLocationBody = Type.Object({ label: Label }, { additionalProperties: false })
export type CreateLocationBody = Static<typeof CreateLocationBody>

export const UpdateLocationBody = Type.Object(
  {
    label: Type.Optional(Label),
    draining: Type.Optional(Type.Boolean({ description: 'When true, its probers finish running checks and start no new ones.' }))
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
  version_skew: oneOf(versionSkews, {
    description: 'too_old, too_new: replace the prober; unknown: it does not report a version of this service.'
  }),
  types: Type.Array(Type.String(), { description: 'Check types that the prober can run.' }),
  capacity: nullable(Capacity),
  online: Type.Boolean(),
  leaving: Type.Boolean({ description: 'True when the prober has announced that it is leaving.' }),
  last_seen_at: Instant
})

const fields = {
  ...common,
  code: Type.String({ description: 'Code of the location, as used in `regions` of a monitor.' }),
  label: Type.String(),
  draining: Type.Boolean(),
  online: Type.Boolean({ description: 'True when a prober of the location is online and the location is not draining.' }),
  probers_online: Type.Integer(),
  last_seen_at: nullable(Instant),
  prober_version: nullable(Type.String({ description: 'Version of the prober that was seen last.' })),
  types: Type.Array(Type.String(), { description: 'Check types that its online probers can run.' }),
  capacity: nullable(Capacity),
  probers: Type.Array(LocationProber, { description: `Seen within a week, at most ${MAX_LOCATION_PROBERS}, the last one first.` }),
  monitors: Type.Integer({ description: 'Number of monitors that it checks and that the caller may see.' }),
  token_prefix: nullable(Type.String({ description: 'First characters of the token of its probers; null when the token was revoked.' })),
  token_created_at: nullable(Instant),
  start: Type.String({
    description: 'One command line that starts a prober; contains the token only in the answer that creates the token.'
  })
}

export const LocationDetail = Type.Object(fields)
export type LocationDetail = Static<typeof LocationDetail>
export const LocationList = list(LocationDetail)
/** The only answers that contain the token. */
export const LocationWithToken = Type.Object({ ...fields, token: Type.String({ description: 'Token of the probers, shown only once.' }) })
export type LocationWithToken = Static<typeof LocationWithToken>
