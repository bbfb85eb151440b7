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
        description: 'Unique in the service. Operators use it to name the workspace.'
      })
    ),
    time_zone: Type.Optional(ZoneName),
    reopen_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'Seconds after a manual resolve during which a target that still fails, and does not get worse, opens no new incident.'
      })
    ),
    storm_threshold: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          'More incidents than this opened within 60 s are a storm: when it ends, people are notified of each further one that is still ongoing.'
      })
    ),
    mass_outage: Type.Optional(
      Type.Partial(MassOutage, {
        description:
          'When min_monitors monitors, or half of all, go down within 5 minutes, people are notified of one incident for them. Only monitors with two or more regions count.'
      })
    ),
    default_escalation_policy_id: Type.Optional(
      Type.Unsafe<string | null>({
        ...nullable(Id),
        description: 'Escalation policy for incidents for which nothing else names a policy; null when there is none.'
      })
    )
  },
  { additionalProperties: false }
)

const Count = Type.Integer({ minimum: 0 })

const Limit = Type.Object({
  key: Type.String({ description: 'Key of the limit, as in the catalogue of plans.' }),
  used: Count,
  limit: nullable(Type.Integer({ description: 'null when unlimited.' })),
  unit: oneOf(['count', 'alerts_per_minute']),
  resets_at: nullable(
    Type.Unsafe<string>({ ...Instant, description: 'When the count starts again; null when it does not start again by itself.' })
  )
})

const UsageWindow = Type.Object({
  instance: Type.String({ description: 'Instance of the service that receives alerts (a door); each instance counts for itself.' }),
  from: Instant,
  to: Instant,
  accepted: Type.Integer({ description: 'Number of alerts.' }),
  refused: Type.Integer({ description: 'Number of requests. Their alerts are not known, because the requests were not read.' }),
  limit: Count
})

const Ingest = Type.Object({
  window_seconds: Count,
  limit: Type.Integer({ description: 'Alerts per minute that each door instance accepts.' }),
  limit_origin: oneOf(['floor', 'plan', 'raised']),
  plan_limit: nullable(Count),
  raised_to: nullable(Count),
  accepted_1m: Count,
  accepted_1h: Count,
  refused_1m: Count,
  refused_1h: Count,
  limited_since: nullable(
    Type.Unsafe<string>({
      ...Instant,
      description: 'Start of the current period of refusals; null when nothing was refused in the last ten minutes.'
    })
  ),
  windows: Type.Array(UsageWindow, {
    description: 'Windows of the last hour, newest first, including those still open. The counts are about 20 s behind.'
  })
})
export type IngestUsage = Static<typeof Ingest>

export const UsageAnswer = Type.Object({
  tenant_id: Id,
  plan: oneOf(planIds),
  at: Instant,
  limits: Type.Array(Limit),
  ingest: Ingest
})

const Available = Type.Boolean({ description: 'false when it is planned but not available yet, whatever the plan says.' })

export const LimitsAnswer = Type.Object({
  tenant_id: Id,
  plan: oneOf(planIds),
  at: Instant,
  limits: Type.Array(
    Type.Object({
      key: Type.String({ description: 'Key of the limit, as in the catalogue of plans.' }),
      description: Type.String(),
      unit: Type.String(),
      limit: nullable(Type.Integer({ description: 'The limit that applies now; null when unlimited.' })),
      plan_limit: nullable(Type.Integer({ description: 'The limit that the plan sets; null when unlimited.' })),
      origin: oneOf(['plan', 'override', 'floor'], {
        description: 'override: the operator raised the limit; floor: the minimum that every workspace has.'
      }),
      available: Available
    })
  ),
  capabilities: Type.Array(
    Type.Object({ key: Type.String(), description: Type.String(), included: Type.Boolean(), available: Available, origin: oneOf(['plan']) })
  )
})
