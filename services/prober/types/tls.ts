/** tls: performs a handshake, after STARTTLS if that is set, and judges the certificate. */
import { checkType, type TlsConfig } from '../../../schemas/http/check-types/tls.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { type Dialled, encrypt, openTo, type TlsWish } from '../connection.ts'
import { CheckFailure } from '../failure.ts'
import { daysLeft, factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import type { ProberType } from '../prober-type.ts'
import { HELO, startMailTls, startPostgresTls } from '../start-tls.ts'
import { dialledOf } from '../targets.ts'
import { trust } from '../trust.ts'

interface TlsPlan extends Judged {
  to: Dialled
  starttls: NonNullable<TlsConfig['starttls']>
  wish: TlsWish
  /** The check fails at this many days left; null: only when the certificate has ended. */
  leastDays: number | null
}

function planTls(assignment: Assignment): TlsPlan {
  const { server_name, starttls, min_version, ca_pem } = assignment.config as TlsConfig
  const to = dialledOf(checkType.target, assignment)
  // A secure context has a minimum version of its own.
  const minVersion = min_version === '1.3' ? 'TLSv1.3' : 'TLSv1.2'
  return {
    ...judgedOf(assignment),
    to,
    starttls: starttls ?? 'none',
    wish: {
      host: server_name || to.host,
      verify: true,
      secureContext: ca_pem ? trust(ca_pem, minVersion) : null,
      minVersion
    },
    leastDays: assignment.expiry_days ?? null
  }
}

/** A certificate that ends now has 0 days left. */
const daysInWords = (days: number): string => `${Math.max(0, Math.floor(days))} ${Math.floor(days) === 1 ? 'day' : 'days'}`

async function perform(plan: TlsPlan, running: Running, edge: Edge): Promise<void> {
  const { report, watch } = running
  const plain = await openTo(plan.to, edge.network, running)
  try {
    if (plan.starttls !== 'none') watch.enter('request')
    if (plan.starttls === 'postgres') await startPostgresTls(plain, running)
    else if (plan.starttls !== 'none') await startMailTls(plain, plan.starttls, HELO, running)
    await encrypt(plain, plan.wish, running)
  } finally {
    plain.destroy()
  }
  running.ended()
  const days = daysLeft(report.tls, edge.now())
  if (days !== null && plan.leastDays !== null && days <= plan.leastDays) {
    throw new CheckFailure('tls', `The certificate ends in ${daysInWords(days)}`)
  }
  await judge(plan, report, { facts: factsOf(running, edge) }, edge)
}

export const type: ProberType = {
  plan(assignment) {
    const plan = planTls(assignment)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
