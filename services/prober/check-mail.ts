/**
 * smtp, imap and pop3: reads the banner and the capabilities, starts TLS and logs in. A password
 * never goes over an unencrypted connection.
 */
import type { CheckType } from '../../schemas/http/check-type.ts'
import type { MailConfig } from '../../schemas/http/mail-settings.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import { attemptsOf, type Edge, type Running } from './attempt.ts'
import { type Dialled, encrypt, openTo } from './connection.ts'
import { factsOf, type Judged, judge, judgedOf } from './judging.ts'
import { Lines } from './lines.ts'
import { dialogues, type MailProtocol } from './mail-dialogue.ts'
import { PlanFault, type ProberType } from './prober-type.ts'
import { HELO, startMailTls } from './start-tls.ts'
import { dialledOf } from './targets.ts'

interface MailPlan extends Judged {
  protocol: MailProtocol
  to: Dialled
  security: NonNullable<MailConfig['security']>
  verify: boolean
  login: { username: string; password: string } | null
  helo: string
}

function planMail(protocol: MailProtocol, { target: rule }: CheckType, assignment: Assignment): MailPlan {
  const { security, verify_tls, username, password, helo } = assignment.config as MailConfig
  if (username && password && security === 'none') throw new PlanFault('A password is not sent without encryption')
  return {
    ...judgedOf(assignment),
    protocol,
    to: dialledOf(rule, assignment),
    security: security ?? 'starttls',
    verify: verify_tls ?? true,
    login: username && password ? { username, password } : null,
    helo: helo || HELO
  }
}

async function perform(plan: MailPlan, running: Running, edge: Edge): Promise<void> {
  const { watch, report, signal } = running
  const { protocol, security, to, verify, login, helo } = plan
  const plain = await openTo(to, edge.network, running)
  try {
    const wish = { host: to.host, verify }
    if (security === 'starttls') {
      watch.enter('request')
      await startMailTls(plain, protocol, helo, running)
    }
    const socket = security === 'none' ? plain : await encrypt(plain, wish, running)
    watch.enter('ttfb')
    const lines = new Lines(socket, signal)
    try {
      const dialogue = dialogues[protocol]
      // The server sends its banner only once: with STARTTLS it has been read already.
      if (security !== 'starttls') await dialogue.greet(lines)
      const offered = await dialogue.capabilities(lines, helo)
      if (login) await dialogue.logIn(lines, offered, login.username, login.password)
      running.ended()
      dialogue.quit(lines)
    } finally {
      lines.release()
      socket.destroySoon()
    }
  } finally {
    plain.destroySoon()
  }
  await judge(plan, report, { facts: factsOf(running, edge) }, edge)
}

export const mailProber = (protocol: MailProtocol, checkType: CheckType): ProberType => ({
  plan(assignment) {
    const plan = planMail(protocol, checkType, assignment)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
})
