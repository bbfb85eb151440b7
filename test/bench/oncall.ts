/**
 * CPU cost of calculating the final shifts of a schedule, and who is on call now. It needs no
 * engines: the rules are pure, and the time zone transitions are cached after the first run.
 */
import { parseArgs } from 'node:util'
import { finalShifts, type Override, onCallIn } from '../../streams/on-call/timeline.ts'
import { definitionOf, layerOf, planOf } from '../streams/on-call/build.ts'
import { figure, median, percentile, printMachine } from './figures.ts'

const DAY = 86_400_000
const FROM = Date.UTC(2026, 0, 5, 12)

/** Five layers in three time zones, two of them only in working hours, and one override a week. */
function plan() {
  const hours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'] as const, from: '08:00', to: '18:00', to_day: null }
  const layers = [
    layerOf({ name: 'weekly', starts_on: '2024-01-01' }),
    layerOf({ name: 'daily', rotation: 'daily', handoff_day: null, restrictions: [hours], participants: ['anna', null, 'ben'] }),
    layerOf({
      name: 'monthly',
      rotation: 'monthly',
      handoff_day: 1,
      time_zone: 'America/New_York',
      restrictions: [{ ...hours, from: '20:00', to: '02:00' }]
    }),
    layerOf({ name: 'hours', rotation: 'hours', handoff_day: null, shift_hours: 8, ends_on: '2026-06-30', participants: [null, 'chi'] }),
    layerOf({ name: 'nights', time_zone: 'Australia/Lord_Howe', restrictions: [{ ...hours, days: ['sat'], from: '00:00', to: '06:00' }] })
  ]
  const overrides = Array.from({ length: 53 }, (_, week): Override => {
    const starts_at = FROM + week * 7 * DAY
    const fields = { user_id: 'dora', replaces_user_id: week % 2 ? 'anna' : null, layer: null, swap_id: null }
    return { override_id: `override ${week}`, seq: week, from_calendar: false, starts_at, ends_at: starts_at + DAY / 2, ...fields }
  })
  return planOf(definitionOf(layers), { overrides })
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { samples: { type: 'string', default: '200' } } })
  const samples = Number(values.samples)
  printMachine(`Final shifts of 5 layers over 370 days, and who is on call now and next; ${samples} samples`)
  const schedule = plan()
  const [shifts, now]: [number[], number[]] = [[], []]
  let found = 0
  for (let sample = -20; sample < samples; sample++) {
    const before = performance.now()
    found = finalShifts(schedule, FROM, FROM + 370 * DAY).length
    const between = performance.now()
    const answer = onCallIn((from, to) => finalShifts(schedule, from, to), FROM + sample * 7 * 3_600_000)
    const after = performance.now()
    if (!answer) throw new Error('nobody has a shift')
    if (sample < 0) continue
    shifts.push(between - before)
    now.push(after - between)
  }
  for (const [id, times, target] of [
    ['ONCALL_SHIFTS_370_DAYS', shifts, 20],
    ['ONCALL_NOW', now, 0.2]
  ] as const) {
    console.log(`  ${id}: p50 ${median(times).toFixed(3)} ms, p99 ${percentile(times, 0.99).toFixed(3)} ms`)
    figure({ id, value: median(times), unit: 'ms', target: { op: '<=', value: target } })
  }
  console.log(`  ${found} shifts`)
}
