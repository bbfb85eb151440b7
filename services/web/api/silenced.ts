/** Until when silences hold an incident back. Pure. */
import type { Incident } from './shapes.ts'

const isSilence = ({ kind }: Incident['held_by'][number]): boolean => kind === 'silence' || kind === 'matcher_silence'

/**
 * Returns the end of the last silence that holds the incident back; null: none does at `now`, epoch
 * ms.
 */
export function silencedUntil({ held_by }: Pick<Incident, 'held_by'>, now: number): string | null {
  const ends = held_by.filter(isSilence).flatMap(({ until }) => (until !== null && Date.parse(until) > now ? until : []))
  return ends.toSorted().at(-1) ?? null
}
