/**
 * Decides which prober versions work with a service: those of its own minor version and of the one
 * before, so that either side can be replaced first. Pure.
 * Source: docs/design/api/prober.md#versions.
 */
import type { VersionSkew } from '../../schemas/http/private-locations.ts'

interface Version {
  major: number
  minor: number
}

function parse(text: string): Version | null {
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})\.\d/.exec(text) ?? []
  return major === undefined || minor === undefined ? null : { major: Number(major), minor: Number(minor) }
}

/** Returns how a prober of the version `prober` relates to a service of the version `service`. */
export function skewOf(prober: string, service: string): VersionSkew {
  const [its, ours] = [parse(prober), parse(service)]
  if (!its || !ours) return 'unknown'
  if (its.major !== ours.major) return its.major < ours.major ? 'too_old' : 'too_new'
  if (its.minor > ours.minor) return 'too_new'
  return its.minor < ours.minor - 1 ? 'too_old' : 'none'
}

/** Returns the oldest prober version that works with a service of the version `service`. */
export function leastVersion(service: string): string {
  const ours = parse(service)
  return ours ? `${ours.major}.${Math.max(0, ours.minor - 1)}.0` : '0.0.0'
}
