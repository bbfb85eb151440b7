/** tcp: opens a connection, with TLS if wanted, sends data over it and reads the reply. */
import type { Socket } from 'node:net'
import { checkType, type TcpConfig } from '../../../schemas/http/check-types/tcp.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { type Dialled, encrypt, openTo } from '../connection.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import type { ProberType } from '../prober-type.ts'
import { enoughOf, readReply } from '../replies.ts'
import { sentBytes } from '../sent-bytes.ts'
import { dialledOf } from '../targets.ts'

interface TcpPlan extends Judged {
  to: Dialled
  tls: boolean
  verify: boolean
  send: Buffer | null
  /** True if the reply is judged. */
  isAnswered: boolean
}

function planTcp(assignment: Assignment): TcpPlan {
  const config = assignment.config as TcpConfig
  const { tls, verify_tls, expect } = config
  return {
    ...judgedOf(assignment, expect ?? null),
    to: dialledOf(checkType.target, assignment),
    tls: tls ?? false,
    verify: verify_tls ?? true,
    send: sentBytes(config),
    isAnswered: Boolean(expect) || assignment.assertions.some(({ source }) => source === 'text')
  }
}

async function talk(socket: Socket, plan: TcpPlan, running: Running, edge: Edge): Promise<void> {
  const { watch, report } = running
  if (plan.send) {
    watch.enter('request')
    socket.write(plan.send)
  }
  if (!plan.isAnswered) {
    running.ended()
    return judge(plan, report, { facts: factsOf(running, edge) }, edge)
  }
  watch.enter('ttfb')
  const body = await readReply(socket, running, enoughOf(plan, factsOf(running, edge), edge))
  running.ended()
  report.bytes = body.length
  await judge(plan, report, { facts: factsOf(running, edge), body }, edge)
}

async function perform(plan: TcpPlan, running: Running, edge: Edge): Promise<void> {
  const plain = await openTo(plan.to, edge.network, running)
  try {
    const socket = plan.tls ? await encrypt(plain, { host: plan.to.host, verify: plan.verify }, running) : plain
    await talk(socket, plan, running, edge)
  } finally {
    plain.destroy()
  }
}

export const type: ProberType = {
  plan(assignment) {
    const plan = planTcp(assignment)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
