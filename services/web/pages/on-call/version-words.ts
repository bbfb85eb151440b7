/** A saved definition of a schedule in words. Pure. */
import type { ScheduleVersion } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { dayTimeIn } from './zone-days.ts'

/** Says from when until when the definition applies, in the zone. */
export function versionSpan({ state, effective_at, counts_until }: ScheduleVersion, zone: string): string {
  if (state === 'never') return onCallText('version.replaced')
  const to = counts_until === null ? null : dayTimeIn(zone, counts_until)
  if (effective_at === null) return to === null ? onCallText('version.always') : onCallText('version.until', { to })
  const from = dayTimeIn(zone, effective_at)
  return to === null ? onCallText('version.from', { from }) : onCallText('version.span', { from, to })
}

/** Lists what the definition changed, in short. */
export function versionChanges({ version, changed, layers: { added, removed, changed: others } }: ScheduleVersion): string[] {
  if (version === 1) return [onCallText('version.first')]
  const named = (key: 'version.added' | 'version.removed' | 'version.layers', names: readonly string[]): string[] =>
    names.length === 0 ? [] : [onCallText(key, { names: names.join(', ') })]
  const layers = [...named('version.added', added), ...named('version.removed', removed), ...named('version.layers', others)]
  return changed.flatMap((part) => {
    if (part !== 'layers') return [onCallText(`version.${part}`)]
    return layers.length > 0 ? layers : [onCallText('version.order')]
  })
}

/** Returns who saved the definition. `created_by` is `kind:id`. */
export function versionAuthor({ created_by }: ScheduleVersion, nameOf: (id: string) => string): string {
  const [kind, id = ''] = created_by.split(':')
  if (kind === 'user') return nameOf(id)
  return onCallText(kind === 'token' ? 'version.token' : 'version.service')
}
