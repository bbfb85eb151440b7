/**
 * Routes without credentials: the plan catalogue and health.
 * Source: docs/design/specification.md#s4-2, docs/design/api/public.md#s14.
 */
import { Type } from 'typebox'
import { capabilities, planIds } from '../plans.ts'
import { Instant, nullable, oneOf } from './common.ts'

const Available = Type.Boolean({ description: 'False when it is planned and not available yet.' })

export const PlansAnswer = Type.Object({
  currency: Type.String(),
  updated_at: Instant,
  plans: Type.Array(
    Type.Object({
      id: oneOf(planIds),
      name: Type.String(),
      description: Type.String(),
      prices: Type.Object({ month: nullable(Type.Integer()), year: nullable(Type.Integer()) }),
      limits: Type.Unsafe<Record<string, number | boolean | null>>({
        type: 'object',
        additionalProperties: { type: ['number', 'boolean', 'null'] },
        description: 'Limit by key; null when unlimited.'
      }),
      capabilities: Type.Array(oneOf(Object.keys(capabilities))),
      channels: Type.Array(Type.String()),
      regions: Type.Array(Type.String()),
      support: Type.String()
    })
  ),
  capabilities: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), description: Type.String(), available: Available })),
  limit_keys: Type.Array(Type.Object({ id: Type.String(), unit: Type.String(), description: Type.String(), available: Available }))
})

export const HealthAnswer = Type.Object({ status: oneOf(['ok']), version: Type.String(), time: Instant })
export const ReadyAnswer = Type.Object({
  status: oneOf(['ok', 'unavailable']),
  checks: Type.Unsafe<Record<string, boolean>>({ type: 'object', additionalProperties: { type: 'boolean' } })
})
export const LiveAnswer = Type.Object({ status: oneOf(['ok']) })
