/** udp: sends one datagram from a socket that receives only from its target. */
import { checkType, type UdpConfig } from '../../../schemas/http/check-types/udp.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { type Dialled, resolveTarget } from '../connection.ts'
import { openDatagrams } from '../datagrams.ts'
import { CheckFailure } from '../failure.ts'
import { Body } from '../http-body.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import type { ProberType } from '../prober-type.ts'
import { sentBytes } from '../sent-bytes.ts'
import { dialledOf } from '../targets.ts'

interface UdpPlan extends Judged {
  to: Dialled
  send: Buffer
  isAnswered: boolean
}

/** How long to wait for a refusal if no reply is expected. */
const REFUSAL_MS = 1000

function planUdp(assignment: Assignment): UdpPlan {
  const config = assignment.config as UdpConfig
  return {
    ...judgedOf(assignment, config.expect ?? null),
    to: dialledOf(checkType.target, assignment),
    send: sentBytes(config) ?? Buffer.alloc(0),
    isAnswered: config.expect_reply ?? true
  }
}

async function perform(plan: UdpPlan, running: Running, edge: Edge): Promise<void> {
  const { report, watch, signal, deadlineAt } = running
  const [checked] = await resolveTarget(plan.to, edge.network, running)
  if (!checked) throw new CheckFailure('dns', 'The name has no address')
  report.remoteIp = checked.address
  watch.enter('connect')
  const socket = await openDatagrams(checked, plan.to.port, signal)
  let data: Buffer | null
  try {
    watch.enter('request')
    socket.send(plan.send)
    watch.enter('ttfb')
    const left = deadlineAt - performance.now()
    data = await socket.next(plan.isAnswered ? left + 1000 : Math.min(REFUSAL_MS, left / 2))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') throw new CheckFailure('connect', 'The port is closed')
    throw error
  } finally {
    socket.close()
  }
  if (data === null && !plan.isAnswered) watch.stopAs('ttfb', 0)
  running.ended()
  report.bytes = data === null ? null : data.length
  await judge(plan, report, { facts: factsOf(running, edge), body: new Body(data === null ? [] : [data]) }, edge)
}

export const type: ProberType = {
  plan(assignment) {
    const plan = planUdp(assignment)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
