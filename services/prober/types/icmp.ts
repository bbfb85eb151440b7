/**
 * icmp: runs the system's `ping`, which has the right to raw sockets, on an address that the guard
 * has judged. The measured time is the average of the replies, without the pauses between requests.
 */
import { execFile } from 'node:child_process'
import { checkType, type IcmpConfig } from '../../../schemas/http/check-types/icmp.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { parseHost } from '../../checks/targets.ts'
import type { Checked } from '../../http/address-guard.ts'
import { FairGate } from '../../process/gate.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { type Dialled, resolveTarget, unlessAborted } from '../connection.ts'
import { CheckFailure, ProberFault } from '../failure.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import { PlanFault, type ProberType } from '../prober-type.ts'
import { familyOf } from '../targets.ts'

interface IcmpPlan extends Judged {
  to: Dialled
  count: number
  least: number
  bytes: number
}

/** `ping` processes at a time, shared between workspaces. */
const MAX_PINGS = 50
const PAUSE_SECONDS = 0.2
/** With fewer bytes, a request has no room for the instant at which it was sent. */
const TIMED_BYTES = 16
const MAX_OUTPUT_BYTES = 65_536
/** Time before the end of the attempt at which `ping` is told to end. */
const LAST_MS = 200
const gate = new FairGate(MAX_PINGS)

function planIcmp(assignment: Assignment): IcmpPlan {
  const { count, min_replies, packet_bytes, ip_family } = assignment.config as IcmpConfig
  const host = parseHost(assignment.target)
  if (host === null) throw new PlanFault(`The target must be: ${checkType.target.words}`)
  return {
    ...judgedOf(assignment),
    to: { host, port: 0, family: familyOf(ip_family) },
    count: count ?? 3,
    least: min_replies ?? 1,
    bytes: packet_bytes ?? 56
  }
}

export interface Replies {
  /** How many requests were answered. */
  answered: number
  /** Average time of the replies in milliseconds; null if it is not known. */
  averageMs: number | null
}

interface Pinged extends Replies {
  /** The program's own error text if nothing was sent. */
  fault: string | null
}

/** The line of a reply, which may be cut off: `64 bytes from 192.0.2.1: icmp_seq=1 ttl=64`. */
const REPLY = /^\d+ bytes from .*?icmp_seq=(\d+)(?:.*?time[=<]([\d.]+) ms)?/gm
const AVERAGE = /^rtt min\/avg\/max\S* = [\d.]+\/([\d.]+)/m

/** Reads what `ping` prints. Each request counts once, however often it was answered. */
export function repliesIn(output: string): Replies {
  const bySeq = new Map<string, number | null>()
  for (const [, seq = '', ms] of output.matchAll(REPLY)) {
    if (!bySeq.has(seq)) bySeq.set(seq, ms === undefined ? null : Number(ms))
  }
  const times = [...bySeq.values()].filter((ms) => ms !== null)
  // A reply that came back shorter than its request is shown without its time.
  const summed = AVERAGE.exec(output)?.[1]
  const averageMs = times.length > 0 ? times.reduce((sum, ms) => sum + ms, 0) / times.length : summed ? Number(summed) : null
  return { answered: bySeq.size, averageMs }
}

/**
 * Sends `count` requests and waits for their replies, at most `limitMs`; `signal` ends it before.
 * `ping` gets no deadline (`-w`): with one, it sends more requests for those that are lost.
 */
export function ping({ address, family }: Checked, count: number, bytes: number, limitMs: number, signal: AbortSignal): Promise<Pinged> {
  // After its last request, `ping` waits as long as `-W` says, or twice the longest time of a
  // reply.
  const waitSeconds = Math.max(1, Math.ceil(limitMs / 1000))
  const size = Math.max(TIMED_BYTES, bytes)
  const args = [`-${family}`, '-n', '-c', count, '-i', PAUSE_SECONDS, '-s', size, '-W', waitSeconds, address]
  return new Promise((resolve, reject) => {
    // The output is parsed, so it must be in one language. The rest of the prober's environment is
    // not passed on.
    const options = { env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' }, maxBuffer: MAX_OUTPUT_BYTES, signal, encoding: 'utf8' as const }
    const program = execFile('ping', args.map(String), options, (error, stdout, stderr) => {
      clearTimeout(timer)
      if (signal.aborted) return reject(signal.reason)
      const replies = repliesIn(stdout)
      // Exit code 1: too few replies came. 2: it could not send requests.
      const isFault = error !== null && replies.answered === 0 && error.code !== 1
      resolve({ ...replies, fault: isFault ? stderr.trim() || error.message : null })
    })
    // It then ends and says what has come so far.
    const timer = setTimeout(() => program.kill('SIGINT'), Math.max(0, limitMs - LAST_MS))
  })
}

async function perform(plan: IcmpPlan, running: Running, edge: Edge): Promise<void> {
  const { report, watch, signal, deadlineAt } = running
  const [checked] = await resolveTarget(plan.to, edge.network, running)
  if (!checked) throw new CheckFailure('dns', 'The name has no address')
  report.remoteIp = checked.address
  await gate.enter(plan.share, signal)
  let pinged: Pinged
  try {
    watch.enter('ttfb')
    const limitMs = deadlineAt - performance.now()
    pinged = await unlessAborted(ping(checked, plan.count, plan.bytes, limitMs, signal), signal).catch((error) => {
      // The attempt's own timeout: replies that have not come by then count as lost.
      if (edge.abort.aborted || signal.reason !== error) throw error
      return { answered: 0, averageMs: null, fault: null }
    })
  } finally {
    gate.leave(plan.share)
  }
  const { answered, averageMs, fault } = pinged
  if (fault !== null) throw new ProberFault('The system’s ping could not ask this address')
  if (averageMs !== null) watch.stopAs('ttfb', averageMs)
  running.ended()
  if (answered < plan.least) {
    throw new CheckFailure('icmp_loss', `${answered} of ${plan.count} requests were answered; ${plan.least} are needed`)
  }
  await judge(plan, report, { facts: factsOf(running, edge) }, edge)
}

export const type: ProberType = {
  plan(assignment) {
    const plan = planIcmp(assignment)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  },
  async missing() {
    const { answered, fault } = await ping({ address: '127.0.0.1', family: 4 }, 1, 56, 2000, new AbortController().signal)
    return answered > 0 ? null : `the system’s ping cannot be run here: ${fault ?? 'no reply of this machine itself'}`
  }
}
