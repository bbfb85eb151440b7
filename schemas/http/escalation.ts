/**
 * Escalation policies, and paging people by hand.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import { type Static, Type } from 'typebox'
import { MAX_INCIDENT_TITLE } from '../limits.ts'
import { common, Description, Id, Instant, list, Name, nullable, oneOf, paging, Severity } from './common.ts'
import {
  emptyWays,
  MAX_DELAY_SECONDS,
  MAX_REPEAT,
  MAX_STEPS,
  MAX_TARGETS,
  stepOutcomes,
  strategies,
  targetTypes,
  urgencies
} from './escalation-words.ts'
import { IncidentDetail } from './incidents.ts'
import { TimeWindow } from './routing.ts'

const closed = { additionalProperties: false } as const

const Target = Type.Object(
  {
    type: oneOf(targetTypes),
    id: Id,
    urgency: Type.Optional(
      oneOf(urgencies, { default: 'default', description: 'Which of the person’s notification rules decide how they are asked.' })
    )
  },
  closed
)

const OnlyIf = Type.Object(
  {
    severity: Type.Optional(
      Type.Array(Severity, { maxItems: 3, description: 'Severities for which the step applies; any severity when none is given.' })
    ),
    time_window: Type.Optional(nullable(TimeWindow))
  },
  closed
)

const Step = Type.Object(
  {
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_DELAY_SECONDS,
        description: 'Seconds to wait after the previous step fired. Default: 0 for the first step, otherwise 300.'
      })
    ),
    targets: Type.Array(Target, { minItems: 1, maxItems: MAX_TARGETS }),
    strategy: Type.Optional(oneOf(strategies, { default: 'all' })),
    acks_required: Type.Optional(Type.Integer({ minimum: 1, description: 'With 1, the first acknowledgement pauses the escalation.' })),
    only_if: Type.Optional(nullable(OnlyIf)),
    on_empty: Type.Optional(
      oneOf(emptyWays, {
        default: 'next',
        description: 'What happens when nobody can be asked. next: the next step at once; fallback: owners and admins are asked.'
      })
    )
  },
  closed
)
export type GivenStep = Static<typeof Step>

const settings = {
  description: Type.Optional(Description),
  team_id: Type.Optional(nullable(Id)),
  repeat: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_REPEAT, default: 1 })),
  ack_timeout_minutes: Type.Optional(nullable(Type.Integer({ minimum: 5, maximum: 1440 }))),
  max_duration_minutes: Type.Optional(Type.Integer({ minimum: 10, maximum: 10_080, default: 1440 }))
}
const Steps = Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS })

export const CreatePolicyBody = Type.Object({ name: Name, ...settings, steps: Steps }, closed)
export type CreatePolicyBody = Static<typeof CreatePolicyBody>
export const UpdatePolicyBody = Type.Object({ name: Type.Optional(Name), ...settings, steps: Type.Optional(Steps) }, closed)
export type UpdatePolicyBody = Static<typeof UpdatePolicyBody>

export const policyWarningCodes = ['unknown_target', 'unreachable_step', 'reaches_nobody'] as const
export const PolicyWarning = Type.Object({
  code: oneOf(policyWarningCodes),
  path: nullable(Type.String({ description: 'Path of the field in the policy.' })),
  message: Type.String()
})
export type PolicyWarning = Static<typeof PolicyWarning>

const shownStep = Type.Object({
  delay_seconds: Type.Integer(),
  targets: Type.Array(Type.Object({ type: oneOf(targetTypes), id: Id, urgency: oneOf(urgencies) })),
  strategy: oneOf(strategies),
  acks_required: Type.Integer(),
  only_if: nullable(Type.Object({ severity: Type.Array(Severity), time_window: nullable(TimeWindow) })),
  on_empty: oneOf(emptyWays)
})

const fields = {
  ...common,
  name: Type.String(),
  description: Type.String(),
  team_id: nullable(Id),
  repeat: Type.Integer(),
  ack_timeout_minutes: nullable(Type.Integer()),
  max_duration_minutes: Type.Integer(),
  steps: Type.Array(shownStep),
  is_default: Type.Boolean({
    description:
      'True for the default policy of the workspace. It applies when neither a rule, nor the source, nor the team gives a policy.'
  })
}
export const EscalationPolicy = Type.Object(fields)
export type EscalationPolicy = Static<typeof EscalationPolicy>
export const PolicyList = list(EscalationPolicy)

export const policyUsers = ['workspace', 'team', 'integration', 'monitor', 'heartbeat', 'incident', 'routing_rule'] as const
const PolicyUse = Type.Object({
  kind: oneOf(policyUsers),
  id: Id,
  name: Type.String({ description: 'Name of the object; for an incident, its key.' })
})
export type PolicyUse = Static<typeof PolicyUse>

const Someone = Type.Object({ id: Id, name: Type.String() })

export const PolicyDetail = Type.Object({
  ...fields,
  warnings: Type.Array(PolicyWarning),
  reaches_now: Type.Array(Type.Object({ users: Type.Array(Someone), channels: Type.Array(Id) }), {
    description: 'People and channels that each step reaches now, through the targets that the caller may see.'
  }),
  used_by: Type.Array(PolicyUse, {
    description: 'Objects that use the policy: at most 100 that the caller may see; incidents only while they are ongoing.'
  })
})
export type PolicyDetail = Static<typeof PolicyDetail>

export const PolicyQuery = Type.Object(
  {
    ...paging,
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100 })),
    team_id: Type.Optional(Type.Array(Id, { maxItems: 100 }))
  },
  closed
)

export const SimulateBody = Type.Object(
  {
    at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'When the simulated incident opens; default: now.' })),
    severity: Type.Optional(Type.Unsafe<Static<typeof Severity>>({ ...Severity, default: 'critical' })),
    ack_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'Seconds from the opening of the incident to its acknowledgement; later steps are left out.'
      })
    )
  },
  closed
)

export type SimulateBody = Static<typeof SimulateBody>

export const SimulateAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      offset_seconds: Type.Integer(),
      at: Instant,
      cycle: Type.Integer(),
      step: Type.Integer(),
      outcome: oneOf(stepOutcomes),
      users: Type.Array(
        Type.Object({
          ...Someone.properties,
          methods: Type.Array(Type.String(), { description: 'Kinds of the methods by which they are asked.' }),
          ways: Type.Array(
            Type.Object({
              kind: nullable(Type.String()),
              at: Instant,
              suppressed_by: nullable(Type.String({ description: 'Why they are not asked in this way; null when they are.' }))
            })
          ),
          by: Type.Union([Type.Object({ type: oneOf(targetTypes), id: Id }), Type.Null()], {
            description: 'The target that names them; null when owners and admins are asked because nobody else can be.'
          })
        })
      ),
      channels: Type.Array(Id),
      not_asked: Type.Array(Type.Object({ ...Someone.properties, why: Type.String() })),
      not_told: Type.Array(Type.Object({ id: Id, why: Type.String() }), { description: 'Channels that are not notified, and why.' }),
      nobody: Type.Array(Type.Object({ type: oneOf(targetTypes), id: Id }), {
        description: 'Targets that contain nobody at that time: a gap of a schedule, a team without members.'
      }),
      fallback: Type.Boolean({ description: 'True when owners and admins are asked because nobody else can be.' }),
      reachable: Type.Boolean()
    })
  ),
  truncated: Type.Boolean({ description: 'True when there are more items than are shown.' })
})
export type SimulateAnswer = Static<typeof SimulateAnswer>

const Message = Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' })

export const EscalateBody = Type.Object(
  {
    step: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_STEPS - 1,
        description: 'Step of the policy to run now, from 0; the escalation continues after it.'
      })
    ),
    user_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_TARGETS })),
    schedule_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_TARGETS })),
    message: Type.Optional(nullable(Message))
  },
  closed
)
export type EscalateBody = Static<typeof EscalateBody>

const ShownIntent = Type.Object({
  id: Id,
  user_id: nullable(Id),
  channel_id: nullable(Id),
  method_kind: nullable(Type.String()),
  suppressed_by: nullable(Type.String()),
  due_at: Instant
})
export type ShownIntent = Static<typeof ShownIntent>
export const EscalateAnswer = Type.Object({ intents: Type.Array(ShownIntent) })

export const PageBody = Type.Object(
  {
    target: Type.Object({ type: oneOf(['user', 'schedule']), id: Id }, closed),
    message: Type.String({
      minLength: 1,
      maxLength: MAX_INCIDENT_TITLE,
      pattern: '\\S',
      description: 'Becomes the title of the incident.'
    }),
    severity: Type.Optional(Type.Unsafe<Static<typeof Severity>>({ ...Severity, default: 'critical' }))
  },
  closed
)
export const PageAnswer = Type.Object({ incident: IncidentDetail, intents: Type.Array(ShownIntent) })
