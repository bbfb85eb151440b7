/**
 * dns: sends one question to a resolver. The resolvers of the service are asked in order, until one
 * answers. A resolver that a workspace names passes the guard like any target. The machine's own
 * resolvers are never asked, because they know internal names.
 */
import { isIP } from 'node:net'
import { checkType, type DnsConfig, recordTypes } from '../../../schemas/http/check-types/dns.ts'
import { type Assignment, MAX_DNS_RECORD, MAX_DNS_RECORDS } from '../../../schemas/http/prober.ts'
import { type HostPort, parseHost, parseHostPort, parseName } from '../../checks/targets.ts'
import type { AddressGuard } from '../../http/address-guard.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import type { Network } from '../connection.ts'
import { askResolver, type DnsAnswer, portOf, type Question } from '../dns-exchange.ts'
import { recordsOf, reverseName } from '../dns-records.ts'
import { CheckFailure, ProberFault } from '../failure.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import { PlanFault, type ProberType } from '../prober-type.ts'

interface DnsPlan extends Judged {
  question: Question
  resolvers: readonly HostPort[]
  /** The workspace named the resolver. */
  isTheirs: boolean
  /** An assertion may expect that there is no record. */
  mayBeMissing: boolean
}

/** Resolvers that the operator names are not guarded. */
const trusted: AddressGuard = {
  judge: () => null,
  resolve: async (host) => [{ address: host, family: isIP(host) === 6 ? 6 : 4 }],
  lookup: () => (host, _options, callback) => callback(null, host, isIP(host))
}

const missing = new Set(['not_exists', 'empty', 'len_eq', 'len_lt'])

function planDns(assignment: Assignment, own: readonly string[]): DnsPlan {
  const { target, assertions } = assignment
  const { record_type, resolver, transport, require_dnssec } = assignment.config as DnsConfig
  const record = recordTypes.find((type) => type === record_type) ?? 'A'
  const by = transport ?? 'udp'
  const address = record === 'PTR' ? parseHost(target) : null
  const name = address !== null && isIP(address) !== 0 ? reverseName(address) : parseName(target)
  if (name === null) throw new PlanFault(`The target must be: ${checkType.target.words}`)
  const resolvers = (resolver ? [resolver] : own).flatMap((text) => {
    const literal = isIP(text) === 6 ? `[${text}]` : text
    // A port that an operator names is for plain questions, by UDP or TCP.
    const to = parseHostPort(literal, portOf(by))
    return to && isIP(to.host) !== 0 ? [resolver || by === 'udp' || by === 'tcp' ? to : { ...to, port: portOf(by) }] : []
  })
  if (resolvers.length === 0) throw new PlanFault(resolver ? 'The resolver is no IP address' : 'This prober has no resolver to ask')
  return {
    ...judgedOf(assignment),
    question: { name, record, transport: by, dnssec: require_dnssec ?? false },
    resolvers,
    isTheirs: Boolean(resolver),
    mayBeMissing: assertions.some(({ source, op }) => source === 'dns_records' && missing.has(op))
  }
}

const brokenRcodes: Readonly<Record<string, string>> = {
  FORMERR: 'The resolver did not understand the question',
  SERVFAIL: 'The name servers of the name failed',
  NOTIMP: 'The resolver does not know this kind of question',
  REFUSED: 'The resolver refused the question'
}

/** Codes that speak of the resolver and the question, and not of the name. */
const refusals: ReadonlySet<string> = new Set(['FORMERR', 'NOTIMP', 'REFUSED'])

/** Returns the first usable answer. If no answer is usable, returns the last one. */
async function askAll(plan: DnsPlan, running: Running, edge: Edge): Promise<DnsAnswer> {
  const { resolvers, question, isTheirs } = plan
  const network: Network = isTheirs ? edge.network : { ...edge.network, guard: trusted }
  let said: { answer: DnsAnswer } | { error: unknown } | null = null
  for (const [at, resolver] of resolvers.entries()) {
    const shareMs = (running.deadlineAt - performance.now()) / (resolvers.length - at)
    try {
      const answer = await askResolver(question, resolver, network, { ...running, deadlineAt: performance.now() + shareMs })
      if (!isTheirs && refusals.has(answer.rcode)) continue
      said = { answer }
      if (brokenRcodes[answer.rcode] === undefined) return answer
    } catch (error) {
      if (running.signal.aborted && isTheirs) throw error
      said ??= { error }
      if (running.signal.aborted) break
    }
  }
  if (said && 'answer' in said) return said.answer
  if (isTheirs) throw said?.error
  throw new ProberFault('No resolver of this prober answers')
}

async function perform(plan: DnsPlan, running: Running, edge: Edge): Promise<void> {
  const { report } = running
  const answer = await askAll(plan, running, edge)
  running.ended()
  const { rcode, isValidated } = answer
  const { records, ttl } = recordsOf(answer.answers, plan.question.record)
  const shown = records.slice(0, MAX_DNS_RECORDS).map((record) => record.slice(0, MAX_DNS_RECORD))
  report.dns = { records: shown, rcode, ttl }
  const broken = brokenRcodes[rcode]
  if (broken !== undefined) throw new CheckFailure('dns', broken)
  if (records.length === 0 && !plan.mayBeMissing) {
    throw new CheckFailure('dns', rcode === 'NXDOMAIN' ? 'The name does not exist' : `The name has no ${plan.question.record} record`)
  }
  if (plan.question.dnssec && !isValidated) throw new CheckFailure('dns', 'The resolver has not validated the answer by DNSSEC')
  await judge(plan, report, { facts: factsOf(running, edge, records) }, edge)
}

export const type: ProberType = {
  plan(assignment, { resolvers }) {
    const plan = planDns(assignment, resolvers)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  },
  missing: async ({ resolvers }) => (resolvers.length > 0 ? null : 'PROBER_DNS_RESOLVERS names no resolver')
}
