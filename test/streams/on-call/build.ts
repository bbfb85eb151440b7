/** Builds on-call schedules for tests. */
import type { Definition, Layer } from '../../../schemas/http/on-call-words.ts'
import { compileVersion, finalShifts, type Override, type Plan, type Shift } from '../../../streams/on-call/timeline.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'

export const layerOf = (over: Partial<Layer> = {}): Layer => ({
  name: 'weekly',
  time_zone: null,
  participants: ['anna', 'ben', 'chi'],
  rotation: 'weekly',
  every: 1,
  handoff_time: '09:00',
  handoff_day: 'mon',
  starts_on: '2026-03-02',
  ends_on: null,
  start_index: 0,
  restrictions: [],
  shift_hours: null,
  ...over
})

export const definitionOf = (layers: readonly Layer[], over: Partial<Definition> = {}): Definition => ({
  time_zone: 'Europe/Berlin',
  layers,
  fallback: { kind: 'policy_default', id: null },
  notices: [],
  min_participants: 1,
  ...over
})

export const overrideOf = (seq: number, from: string, to: string, over: Partial<Override> = {}): Override => ({
  override_id: `override ${seq}`,
  seq,
  from_calendar: false,
  user_id: 'dora',
  starts_at: Date.parse(from),
  ends_at: Date.parse(to),
  replaces_user_id: null,
  layer: null,
  swap_id: null,
  ...over
})

export const planOf = (definition: Definition, over: Partial<Plan> = {}): Plan => ({
  versions: [{ effective_at: -Infinity, compiled: compileVersion(1, definition, tzZones) }],
  overrides: [],
  tzdb: 'test',
  present: () => true,
  ...over
})

/** Shifts as lines: from, to, who, and the origin when it is not a layer. */
export const linesOf = (shifts: readonly Shift[]): string[] =>
  shifts.map(({ starts_at, ends_at, user_ids, origin }) => {
    const [from, to] = [starts_at, ends_at].map((at) => new Date(at).toISOString().slice(0, 16))
    return `${from} ${to} ${user_ids.join('+') || '-'}${origin === 'layer' ? '' : ` ${origin}`}`
  })

export const shiftsOf = (plan: Plan, from: string, to: string): Shift[] => finalShifts(plan, Date.parse(from), Date.parse(to))
