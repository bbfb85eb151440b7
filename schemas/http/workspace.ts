/** Settings and limits of a workspace. Source: docs/design/api/account.md#ac-3, #ac-16, #ac-17. */
import { type Static, Type } from 'typebox'
import { planIds } from '../plans.ts'
import { common, Id, Instant, Name, nullable, oneOf, ZoneName } from './common.ts'
import { workspaceSlugPattern } from './patterns.ts'

const MassOutage = Type.Object(
  { enabled: Type.Boolean(), min_monitors: Type.Integer({ minimum: 2, maximum: 1000 }) },
  { additionalProperties: false }
)

export const WorkspaceDetail = Type.Object({
  ...common,
  name: Type.String(),
  slug: Type.String(),
  plan: oneOf(planIds),
  time_zone: Type.String(),
  reopen_after_seconds: Type.Integer(),
  storm_threshold: Type.Integer(),
  mass_outage: MassOutage,
  default_escalation_policy_id: nullable(Id)
})

/** The settings that have an effect. All others are refused as unknown. */
export const UpdateWorkspaceBody = Type.Object(
  {
    name: Type.Optional(Type.Unsafe<string>({ ...Name, maxLength: 80 })),
    slug: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: workspaceSlugPattern,
        description: 'Unique in the service; operators name the workspace by it.'
      })
    ),
    time_zone: Type.Optional(ZoneName),
    reopen_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'So long after a resolve by hand a target that still fails opens nothing.'
      })
    ),
    storm_threshold: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'More incidents than this opened within 60 s are a storm: what opens further is told of together, at its end.'
      })
    ),
    mass_outage: Type.Optional(
      Type.Partial(MassOutage, {
        description: 'So many monitors of two or more regions that go down within 5 minutes, or half of all, are one incident for people.'
      })
    ),
    default_escalation_policy_id: Type.Optional(
      Type.Unsafe<string | null>({ ...nullable(Id), description: 'Of incidents for which nothing else names a policy; null: none.' })
    )
  },
  { additionalProperties: false }
)

const Count = Type.Integer({ minimum: 0 })

const Limit = Type.Object({
  key: Type.String({ description: 'As in the catalogue of plans.' }),
  used: Count,
  limit: nullable(Type.Integer({ description: 'null: unlimited.' })),
  unit: oneOf(['count', 'alerts_per_minute']),
  resets_at: nullable(Type.Unsafe<string>({ ...Instant, description: 'null: it does not by itself.' }))
})

const UsageWindow = Type.Object({
  instance: Type.String({ description: 'Door instance; each counts for itself.' }),
  from: Instant,
  to: Instant,
  accepted: Type.Integer({ description: 'Alerts.' }),
  refused: Type.Integer({ description: 'Requests, whose alerts are not known: they were not read.' }),
  limit: Count
})

const Ingest = Type.Object({
  window_seconds: Count,
  limit: Type.Integer({ description: 'Alerts a minute that each door instance admits.' }),
  limit_origin: oneOf(['floor', 'plan', 'raised']),
  plan_limit: nullable(Count),
  raised_to: nullable(Count),
  accepted_1m: Count,
  accepted_1h: Count,
  refused_1m: Count,
  refused_1h: Count,
  limited_since: nullable(Type.Unsafe<string>({ ...Instant, description: 'null: nothing was refused in the last ten minutes.' })),
  windows: Type.Array(UsageWindow, { description: 'Of the last hour, newest first; those that are open among them. Some 20 s behind.' })
})
export type IngestUsage = Static<typeof Ingest>

export const UsageAnswer = Type.Object({
  tenant_id: Id,
  plan: oneOf(planIds),
  at: Instant,
  limits: Type.Array(Limit),
  ingest: Ingest
})

const Available = Type.Boolean({ description: 'False: it is planned, and not there yet whatever the plan says.' })

export const LimitsAnswer = Type.Object({
  tenant_id: Id,
  plan: oneOf(planIds),
  at: Instant,
  limits: Type.Array(
    Type.Object({
      key: Type.String({ description: 'As in the catalogue of plans.' }),
      description: Type.String(),
      unit: Type.String(),
      limit: nullable(Type.Integer({ description: 'In force; null: unlimited.' })),
      plan_limit: nullable(Type.Integer({ description: 'What the plan says.' })),
      origin: oneOf(['plan', 'override', 'floor'], {
        description: 'override: raised by the operator; floor: the least that every workspace has.'
      }),
      available: Available
    })
  ),
  capabilities: Type.Array(
    Type.Object({ key: Type.String(), description: Type.String(), included: Type.Boolean(), available: Available, origin: oneOf(['plan']) })
  )
})
