/**
 * Certificates that the checks of monitors have seen.
 * Source: docs/design/api/monitors.md#certificates.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, list, nullable, oneOf, paging } from './common.ts'
import { monitorStatuses } from './monitors.ts'

export const CertificateItem = Type.Object({
  monitor_id: Id,
  monitor_name: Type.String(),
  monitor_status: oneOf(monitorStatuses),
  type: Type.String({ description: 'Type of the check.' }),
  target: Type.String(),
  team_id: nullable(Id),
  host: Type.String({ description: 'Host that the certificate is for: the name that is asked for, else the host of the target.' }),
  issuer: nullable(Type.String()),
  not_after: Instant,
  days_left: Type.Integer({ description: 'Days until the certificate ends; below 0 when it has ended.' }),
  chain_ok: nullable(Type.Boolean()),
  last_checked_at: nullable(Instant),
  tls_expiry_days: Type.Array(Type.Integer()),
  told: Type.Unsafe<{ threshold_days: number; at: string } | null>({
    type: ['object', 'null'],
    required: ['threshold_days', 'at'],
    properties: {
      threshold_days: {
        type: 'integer',
        description: 'Smallest threshold that people were notified of; 0 when they were notified that the certificate has ended.'
      },
      at: { type: 'string', format: 'date-time' }
    }
  })
})
export type CertificateItem = Static<typeof CertificateItem>
export const CertificateList = list(CertificateItem)

export const CertificateQuery = Type.Object(
  {
    ...paging,
    team_id: Type.Optional(Type.Array(Id, { maxItems: 100 })),
    within_days: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3650, description: 'Only certificates that end within this number of days or have ended.' })
    ),
    q: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 100,
        description: 'Part of the name or address of the monitor; upper and lower case are the same.'
      })
    )
  },
  { additionalProperties: false }
)
