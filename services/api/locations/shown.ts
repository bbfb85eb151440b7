/**
 * Shows a private location in answers: what people set, which of its probers were seen, and the
 * command line that starts one. Pure.
 * Source: docs/design/api/account.md#ac-25 and docs/design/api/prober.md#locations.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { LocationDetail } from '../../../schemas/http/private-locations.ts'
import { skewOf } from '../../checks/versions.ts'
import type { PresentProber, PrivateLocation } from '../../store/private-locations.ts'

/** Shown in place of a token that cannot be shown again. */
const TOKEN_PLACEHOLDER = '<token>'

export interface Surroundings {
  publicUrl: string
  /** Image of the service; empty: the image of this version. */
  image: string
  /** The version of this service. */
  version: string
}

type Capacity = LocationDetail['capacity']

const capacityOf = ({ capacity: { concurrent, per_second } }: PresentProber): Capacity =>
  concurrent === undefined || per_second === undefined ? null : { concurrent, per_second }

/** The capacity of all online probers together; null if none has reported its own. */
function together(probers: readonly PresentProber[]): Capacity {
  const known = probers.flatMap((prober) => capacityOf(prober) ?? [])
  if (known.length === 0) return null
  return known.reduce((sum, one) => ({
    concurrent: sum.concurrent + one.concurrent,
    per_second: sum.per_second + one.per_second
  }))
}

/**
 * Writes one command line for a shell; it has no secret if `token` is null. The prober's name stays
 * the same over restarts, as it must.
 */
export function startLine({ publicUrl, image, version }: Surroundings, token: string | null): string {
  const name = image === '' ? `monitoring-incident-service:${version}` : image
  return [
    'docker run -d --restart unless-stopped --name prober',
    `-e SERVICE_PROBER_URL=${publicUrl}`,
    `-e SERVICE_PROBER_TOKEN=${token ?? TOKEN_PLACEHOLDER}`,
    '-e SERVICE_PROBER_INSTANCE=$(hostname)',
    name,
    'prober'
  ].join(' ')
}

/**
 * `probers`: the last seen first. `monitors`: how many monitors use it, as far as the caller sees.
 */
export function toDetail(
  location: PrivateLocation,
  probers: readonly PresentProber[],
  monitors: number,
  around: Surroundings,
  token: string | null
): LocationDetail {
  const online = location.draining ? [] : probers.filter((prober) => prober.online)
  const [last] = probers
  return {
    id: location.location_id,
    tenant_id: location.tenant_id,
    code: location.code,
    label: location.label,
    draining: location.draining,
    online: online.length > 0,
    probers_online: online.length,
    last_seen_at: iso(last?.last_hello_at ?? null),
    prober_version: last?.version ?? null,
    types: [...new Set(online.flatMap(({ kinds }) => kinds))].sort(),
    capacity: together(online),
    probers: probers.map((prober) => ({
      instance_id: prober.instance_id,
      version: prober.version,
      version_skew: skewOf(prober.version, around.version),
      types: prober.kinds,
      capacity: capacityOf(prober),
      online: prober.online,
      leaving: prober.leaving,
      last_seen_at: iso(prober.last_hello_at)
    })),
    monitors,
    token_prefix: location.token_prefix,
    token_created_at: iso(location.token_created_at),
    start: startLine(around, token),
    created_at: iso(location.created_at),
    updated_at: iso(location.updated_at),
    version: location.ver
  }
}
