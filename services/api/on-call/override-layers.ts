/**
 * Overrides of one layer follow that layer when it gets another name. A layer has no identity but
 * its name, so it is found by its place and by what it says.
 * Source: docs/design/api/on-call.md#s7-1, rule 10.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Definition } from '../../../schemas/http/on-call-words.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { type LayerOverride, overridesOfLayers, putIntoLayer } from '../../store/overrides.ts'
import type { Tx } from '../../store/pool.ts'
import { type ScheduleVersion, versionsFrom } from '../../store/schedules.ts'

type Version = Pick<ScheduleVersion, 'effective_at' | 'definition'>
type Span = Pick<LayerOverride, 'layer' | 'starts_at' | 'ends_at'>

/** Returns the name that a layer has after a change; null: the layer is gone, or was not there. */
export function layerAfter(before: Definition, after: Definition, name: string): string | null {
  const at = before.layers.findIndex((one) => one.name === name)
  const layer = before.layers[at]
  if (!layer) return null
  if (after.layers.some((one) => one.name === name)) return name
  const added = after.layers.filter((one) => !before.layers.some((other) => other.name === one.name))
  const same = added.filter((one) => isDeepStrictEqual({ ...one, name }, layer))
  if (same.length === 1 && same[0]) return same[0].name
  const [only] = added
  return only && added.length === 1 && after.layers[at] === only && after.layers.length === before.layers.length ? only.name : null
}

/** `versions` in order, as versionsFrom returns them. */
const definitionAt = (versions: readonly Version[], at: number): Definition | undefined =>
  (versions.findLast(({ effective_at }) => effective_at <= at) ?? versions[0])?.definition

/**
 * Returns the layer of an override from each instant (epoch ms) on, in order, after the versions of
 * its schedule changed.
 */
export function layersOver(before: readonly Version[], after: readonly Version[], { layer, starts_at, ends_at }: Span) {
  const changes = [...before, ...after].map(({ effective_at }) => effective_at).filter((at) => at > starts_at && at < ends_at)
  const pieces: { from: number; layer: string }[] = []
  for (const from of [starts_at, ...changes.sort((a, b) => a - b)]) {
    const [former, present] = [definitionAt(before, from), definitionAt(after, from)]
    const name = (former && present && layerAfter(former, present, layer)) ?? layer
    if (pieces.at(-1)?.layer !== name) pieces.push({ from, layer: name })
  }
  return pieces
}

/**
 * Puts overrides into the new names of their layers. Must run inside `changing`, at that instant
 * (epoch ms), after the new versions are saved; `before`: those that counted from then on.
 */
export async function followLayers(tx: Tx, tenant_id: string, schedule_id: string, before: readonly Version[], at: number): Promise<void> {
  const after = await versionsFrom(tx, tenant_id, schedule_id, at)
  for (const override of await overridesOfLayers(tx, tenant_id, schedule_id, at)) {
    let { override_id, layer } = override
    for (const piece of layersOver(before, after, { ...override, starts_at: Math.max(override.starts_at, at) })) {
      if (piece.layer === layer) continue
      override_id = await putIntoLayer(tx, tenant_id, override_id, { override_id: uuidv7(), layer: piece.layer, at: piece.from })
      layer = piece.layer
    }
  }
}

/**
 * Returns the names of layers that overrides of now (epoch ms) or later name, and that the schedule
 * does not have while they hold.
 */
export async function missingLayers(tx: Tx, tenant_id: string, schedule_id: string, now: number): Promise<string[]> {
  const overrides = await overridesOfLayers(tx, tenant_id, schedule_id, now)
  if (overrides.length === 0) return []
  const versions = await versionsFrom(tx, tenant_id, schedule_id, now)
  const missing = overrides.filter(({ layer, starts_at, ends_at }) => {
    const from = Math.max(starts_at, now)
    const counting = [
      definitionAt(versions, from),
      ...versions.flatMap((one) => (one.effective_at > from && one.effective_at < ends_at ? one.definition : []))
    ]
    return !counting.some((definition) => definition?.layers.some(({ name }) => name === layer))
  })
  return [...new Set(missing.map(({ layer }) => layer))]
}
