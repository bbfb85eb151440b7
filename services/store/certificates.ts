/**
 * Certificates that end soon, as the checks saw them last. As service_system.
 * Source: docs/design/api/monitors.md#s3-1.
 */
import type { Pool } from './pool.ts'

export interface EndingCertificate {
  tenant_id: string
  monitor_id: string
  name: string
  team_id: string | null
  visibility: 'org' | 'private'
  /** Days before the end at which people want to be told. */
  tls_expiry_days: number[]
  /** Epoch ms. */
  not_after: number
}

/** Of monitors behind one, in their order: those within their largest threshold; `most` of them. */
export async function endingCertificates(pool: Pool, after: string, most: number): Promise<EndingCertificate[]> {
  const { rows } = await pool.query<EndingCertificate>(
    `SELECT m.tenant_id, m.monitor_id, m.name, m.team_id, m.visibility, m.tls_expiry_days, (s.state ->> 'certificate_not_after')::float8 AS not_after
       FROM monitors m JOIN partition_state s ON s.processor = 'status' AND s.key = m.monitor_id::text
      WHERE m.deleted_at IS NULL AND m.paused_at IS NULL AND m.monitor_id > $1
        AND (s.state ->> 'certificate_not_after')::float8 / 1000
            < extract(epoch FROM now()) + 86400 * (SELECT max(d) FROM unnest(m.tls_expiry_days) AS d)
      ORDER BY m.monitor_id LIMIT $2`,
    [after, most]
  )
  return rows
}
