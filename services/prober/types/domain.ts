/**
 * domain: checks until when a name is registered. It asks by RDAP the server that the IANA names
 * for the ending. That server, and whatever it redirects to, passes the guard like any target.
 */
import { checkType, type DomainConfig, USUAL_FAIL_DAYS, USUAL_WARN_DAYS } from '../../../schemas/http/check-types/domain.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { expiryOf, rdapServerOf } from '../../checks/rdap.ts'
import { parseName } from '../../checks/targets.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { type Followed, followHttp } from '../check-http.ts'
import { CheckFailure, ourFault, ProberFault, type Reason, toFailure } from '../failure.ts'
import { textOf } from '../http-body.ts'
import { type HttpRequest, planRequest } from '../http-plan.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import { PlanFault, type ProberFacts, type ProberType } from '../prober-type.ts'

interface DomainPlan extends Judged {
  request: HttpRequest
  warnDays: number
  failDays: number
}

const DAY_MS = 86_400_000
const MAX_ANSWER_BYTES = 1_048_576
const MAX_REDIRECTS = 3

function planDomain(assignment: Assignment, { userAgent, rdap }: ProberFacts): DomainPlan {
  const { warn_days, fail_days } = assignment.config as DomainConfig
  const name = parseName(assignment.target)
  if (name === null) throw new PlanFault(`The target must be: ${checkType.target.words}`)
  const server = rdapServerOf(name, rdap)
  if (server === null) throw new PlanFault('Nobody tells by RDAP until when domains of this ending are registered')
  const accept = { name: 'accept', value: 'application/rdap+json, application/json' }
  const config = { headers: [accept], max_redirects: MAX_REDIRECTS, max_body_bytes: MAX_ANSWER_BYTES }
  const { request } = planRequest(new URL(`domain/${name}`, server), config, userAgent)
  return { ...judgedOf(assignment), request, warnDays: warn_days ?? USUAL_WARN_DAYS, failDays: fail_days ?? USUAL_FAIL_DAYS }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CheckFailure('protocol', 'The answer is not JSON')
  }
}

const daysInWords = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

/** Reasons that say nothing about the domain: its registry was not reached. */
const unreached: ReadonlySet<Reason> = new Set(['timeout', 'dns', 'connect', 'tls', 'protocol'])

const silence = (again: boolean): ProberFault => new ProberFault('The registry does not answer now', { again })

/**
 * Asks the registry. All regions ask in the same moment, once a day, so a registry that is away for
 * that moment must not make the domain fail for a day.
 */
async function ask(plan: DomainPlan, running: Running, edge: Edge): Promise<Followed> {
  try {
    return await followHttp(plan.request, edge, running)
  } catch (error) {
    const { phase } = running.watch
    if (edge.abort.aborted || ourFault(error, phase) !== null) throw error
    const failure = toFailure(error, phase)
    if (running.signal.aborted || (failure && unreached.has(failure.reason))) throw silence(true)
    throw error
  }
}

async function perform(plan: DomainPlan, running: Running, edge: Edge): Promise<void> {
  const { report } = running
  const { head, body } = await ask(plan, running, edge)
  running.ended()
  report.bytes = body.length
  if (head.status === 404) throw new CheckFailure('dns', 'The domain is not registered')
  if (head.status === 429 || head.status >= 500) throw silence(false)
  if (head.status !== 200) throw new CheckFailure('http_status', `The registry answers with the status ${head.status}`)
  const expiresAt = expiryOf(parsed(textOf(body.first(MAX_ANSWER_BYTES), head.headers['content-type'])))
  if (expiresAt === null) throw new CheckFailure('protocol', 'The registry does not tell when the registration ends')
  report.domainExpiresAt = new Date(expiresAt).toISOString()
  const days = Math.floor((expiresAt - edge.now()) / DAY_MS)
  const ends = days < 0 ? 'The registration has ended' : `The registration ends in ${daysInWords(days)}`
  if (days < plan.failDays) throw new CheckFailure('assertion', ends)
  await judge(plan, report, { facts: factsOf(running, edge) }, edge)
  if (report.outcome === 'success' && days < plan.warnDays) {
    report.outcome = 'degraded'
    report.reason = 'assertion'
  }
  report.message ??= ends
}

export const type: ProberType = {
  plan(assignment, facts) {
    const plan = planDomain(assignment, facts)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
