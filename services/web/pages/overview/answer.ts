/** The overview's answer in words, and the order of what it lists. Pure. */
import type { Heartbeat, IncidentCounts, Monitor } from '../../api/shapes.ts'
import { overviewText } from '../../texts/overview.ts'

/** `1 monitor`, `42 monitors`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const ranks: Readonly<Record<Monitor['phase'], number>> = {
  down: 0,
  dependency_down: 1,
  flapping: 2,
  validating: 3,
  degraded: 4,
  unconfirmed: 5,
  no_data: 6,
  maintenance: 7,
  pending: 8,
  ok: 9,
  paused: 10
}

export const rankOf = ({ status, phase }: Pick<Monitor, 'status' | 'phase'>): number => (status === 'down' ? 0 : ranks[phase])

/** Sorts the worst first. Monitors of the same rank keep the API's order, by name. */
export const worstFirst = (monitors: readonly Monitor[]): Monitor[] => monitors.toSorted((one, other) => rankOf(one) - rankOf(other))

/**
 * Whether a monitor is not simply up, and not because somebody wants that (paused, in maintenance).
 */
export const isTroubled = (monitor: Pick<Monitor, 'status' | 'phase'>): boolean => rankOf(monitor) < ranks.maintenance

/** In the order in which the answer lists them. */
const troubles = ['down', 'flapping', 'validating', 'degraded', 'no_data', 'pending'] as const

/** Returns what is wrong with a monitor that cannot be called up; null: it is up. */
function troubleOf({ status, phase }: Monitor): (typeof troubles)[number] | null {
  if (status === 'down') return 'down'
  if (phase === 'flapping' || phase === 'validating' || phase === 'degraded' || phase === 'pending') return phase
  return phase === 'no_data' || phase === 'unconfirmed' ? 'no_data' : null
}

/** `1 of 3 monitors down, 1 pending`; empty where nothing is watched. */
export function monitorsInWords(monitors: readonly Monitor[]): string {
  const watched = monitors.filter(({ status }) => status !== 'paused')
  if (watched.length === 0) return ''
  const all = watched.length
  const theirs = watched.map(troubleOf)
  const found = troubles
    .map((kind) => ({ kind, count: theirs.filter((trouble) => trouble === kind).length }))
    .filter(({ count }) => count > 0)
  if (found.length > 0)
    return found
      .map(({ kind, count }, at) => {
        const word = overviewText(`trouble.${kind}`)
        if (at > 0) return overviewText('monitors.and', { count, word })
        return all === 1 ? overviewText('monitors.of_one', { count, word }) : overviewText('monitors.of', { count, all, word })
      })
      .join(', ')
  return all === 1 ? overviewText('monitors.one_up') : overviewText('monitors.all_up', { count: all })
}

function heartbeatsInWords(heartbeats: readonly Heartbeat[]): string {
  const expected = heartbeats.filter(({ phase }) => phase !== 'paused' && phase !== 'waiting')
  if (expected.length === 0) return ''
  const all = expected.length
  const counts = {
    missed: expected.filter(({ status }) => status === 'missed').length,
    late: expected.filter(({ status, phase }) => status !== 'missed' && phase === 'grace').length,
    unknown: expected.filter(({ status, phase }) => status !== 'missed' && phase === 'unknown').length
  }
  const [first, ...others] = (['missed', 'late', 'unknown'] as const).filter((kind) => counts[kind] > 0)
  if (first !== undefined) {
    const said = all === 1 ? overviewText(`heartbeats.${first}_one`) : overviewText(`heartbeats.${first}`, { count: counts[first], all })
    const rest = others.flatMap((kind) => (kind === 'missed' ? [] : [overviewText(`heartbeats.and_${kind}`, { count: counts[kind] })]))
    return [said, ...rest].join(', ')
  }
  return all === 1 ? overviewText('heartbeats.on_time_one') : overviewText('heartbeats.on_time', { count: all })
}

/** `2 taken, 1 silenced`: ongoing incidents that need nobody. */
const others = ({ acknowledged, silenced }: IncidentCounts): string =>
  [
    ...(acknowledged > 0 ? [overviewText('rest.taken', { count: acknowledged })] : []),
    ...(silenced > 0 ? [overviewText('rest.silenced', { count: silenced })] : [])
  ].join(', ')

function calmInWords(counts: IncidentCounts): string {
  const { ongoing, acknowledged, silenced } = counts
  if (ongoing === 1) return overviewText(silenced > 0 ? 'calm.silenced_one' : 'calm.taken_one')
  const open = overviewText('calm.open', { count: ongoing })
  if (acknowledged > 0 && silenced > 0) return `${open}: ${others(counts)}`
  return `${open}, ${overviewText(silenced > 0 ? 'calm.all_silenced' : 'calm.all_taken')}`
}

/**
 * `counts` are the server's, of all ongoing incidents. `oldSince`: the time since which all this
 * may be out of date, null while it is not.
 */
export function answerOf(
  counts: IncidentCounts,
  monitors: readonly Monitor[],
  heartbeats: readonly Heartbeat[],
  oldSince: string | null = null
): { answer: string; detail: string } {
  const { ongoing, needs_someone: waiting } = counts
  const detail = [monitorsInWords(monitors), heartbeatsInWords(heartbeats)].filter((words) => words !== '').join(' · ')
  if (waiting > 0) {
    const rest = others(counts)
    const need = waiting === 1 ? overviewText('answer.needs') : overviewText('answer.need', { count: waiting })
    return { answer: rest === '' ? need : `${need}, ${rest}`, detail }
  }
  if (ongoing > 0) return { answer: calmInWords(counts), detail }
  const isDown = monitors.some(({ status }) => status === 'down') || heartbeats.some(({ status }) => status === 'missed')
  if (isDown) return { answer: overviewText('answer.down'), detail }
  return { answer: oldSince === null ? overviewText('answer.nothing') : overviewText('answer.nothing_then', { time: oldSince }), detail }
}
