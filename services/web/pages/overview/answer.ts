/** The overview's answer in words, and the order of what it lists. Pure. */
import type { Heartbeat, IncidentCounts, Monitor } from '../../api/shapes.ts'

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

/** What is worst comes first; the api's order, by name, within. */
export const worstFirst = (monitors: readonly Monitor[]): Monitor[] => monitors.toSorted((one, other) => rankOf(one) - rankOf(other))

/** Not simply up, and not so because somebody wants it: paused, in maintenance. */
export const isTroubled = (monitor: Pick<Monitor, 'status' | 'phase'>): boolean => rankOf(monitor) < ranks.maintenance

/** What a monitor is that nobody may call up; null: it is up. */
function troubleOf({ status, phase }: Monitor): string | null {
  if (status === 'down') return 'down'
  if (phase === 'validating' || phase === 'degraded' || phase === 'pending') return phase
  return phase === 'no_data' || phase === 'unconfirmed' ? 'without data' : null
}

/** `1 of 3 monitors down, 1 pending`; empty where nothing is watched. */
export function monitorsInWords(monitors: readonly Monitor[]): string {
  const watched = monitors.filter(({ status }) => status !== 'paused')
  if (watched.length === 0) return ''
  const troubles = watched.map(troubleOf)
  const found = ['down', 'validating', 'degraded', 'without data', 'pending']
    .map((word) => ({ word, count: troubles.filter((trouble) => trouble === word).length }))
    .filter(({ count }) => count > 0)
  if (found.length > 0)
    return found
      .map(({ word, count }, at) => `${at === 0 ? `${count} of ${counted(watched.length, 'monitor')}` : count} ${word}`)
      .join(', ')
  return watched.length === 1 ? 'The monitor is up' : `All ${watched.length} monitors up`
}

function heartbeatsInWords(heartbeats: readonly Heartbeat[]): string {
  const expected = heartbeats.filter(({ phase }) => phase !== 'paused' && phase !== 'waiting')
  const missed = expected.filter(({ status }) => status === 'missed').length
  const late = expected.filter(({ phase }) => phase === 'grace').length
  if (expected.length === 0) return ''
  if (missed > 0) return `${missed} of ${counted(expected.length, 'heartbeat')} missed${late > 0 ? `, ${late} late` : ''}`
  if (late > 0) return `${late} of ${counted(expected.length, 'heartbeat')} late`
  return expected.length === 1 ? 'The heartbeat is on time' : `All ${expected.length} heartbeats on time`
}

/** `2 taken, 1 silenced`: ongoing incidents that need nobody. */
const others = ({ acknowledged, silenced }: IncidentCounts): string =>
  [acknowledged > 0 ? `${acknowledged} taken` : '', silenced > 0 ? `${silenced} silenced` : ''].filter((words) => words !== '').join(', ')

function calmInWords(counts: IncidentCounts): string {
  const { ongoing, acknowledged, silenced } = counts
  const open = `${counted(ongoing, 'incident')} open`
  if (acknowledged > 0 && silenced > 0) return `${open}: ${others(counts)}`
  if (silenced > 0) return `${open}, ${ongoing === 1 ? 'silenced' : 'all silenced'}`
  return `${open}, ${ongoing === 1 ? 'somebody has it' : 'all taken'}`
}

/** `counts` are the server's, of all that are ongoing. */
export function answerOf(
  counts: IncidentCounts,
  monitors: readonly Monitor[],
  heartbeats: readonly Heartbeat[]
): { answer: string; detail: string } {
  const { ongoing, needs_someone: waiting } = counts
  const detail = [monitorsInWords(monitors), heartbeatsInWords(heartbeats)].filter((words) => words !== '').join(' · ')
  if (waiting > 0) {
    const rest = others(counts)
    return {
      answer: `${counted(waiting, 'incident')} ${waiting === 1 ? 'needs' : 'need'} someone${rest === '' ? '' : `, ${rest}`}`,
      detail
    }
  }
  if (ongoing > 0) return { answer: calmInWords(counts), detail }
  const isDown = monitors.some(({ status }) => status === 'down') || heartbeats.some(({ status }) => status === 'missed')
  return { answer: isDown ? 'Something is down, and no incident is open' : 'Nothing needs you', detail }
}
