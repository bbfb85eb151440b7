/**
 * Feed notices about a monitor that no incident reports. The key is derived from the transition, so
 * sending the notice again creates no second item. Pure.
 * Source: docs/design/api/monitors.md#s3-5, docs/design/api/decision-rules.md#s23-9.
 */
import type { Owned } from '../../schemas/http/visibility.ts'
import type { FeedNotice } from '../define.ts'

/** A change of a monitor that has no incident. */
export interface Watched {
  tenant_id: string
  monitor_id: string
  /** Version of the transition; it makes the notice unique. */
  ver: number
  name: string
  about: Owned
  at: number
}

/** The notice of a region that has failed alone for long. Nobody is paged for it. */
export const regionNotice = ({ tenant_id, monitor_id, ver, name, about, at, region }: Watched & { region: string }): FeedNotice => ({
  tenant_id,
  key: `region_advisory:${monitor_id}:${ver}:${region}`,
  type: 'incident',
  severity: 'info',
  title: `${name} has failed for long from ${region} alone`,
  body: 'The other regions reach it, so it counts as up and nobody is paged. The way from that region may be broken.',
  at,
  audience: 'watchers',
  about,
  monitor_id
})

/**
 * The notice that a monitor flaps. It is the only one: single changes during flapping are not sent.
 */
export const flapNotice = ({ tenant_id, monitor_id, ver, name, about, at }: Watched): FeedNotice => ({
  tenant_id,
  key: `flapping:${monitor_id}:${ver}`,
  type: 'incident',
  severity: 'warning',
  title: `${name} changes between up and down too often`,
  body: 'It is flapping. Until it is steady its incident stays open, and nobody is told of each change.',
  at,
  audience: 'watchers',
  about,
  monitor_id
})
