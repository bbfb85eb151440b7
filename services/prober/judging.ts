/**
 * Judges an answer, for every type of check: by its assertions, and by whether it took too long.
 */
import type { Assertion } from '../../schemas/http/check-config.ts'
import type { CheckType } from '../../schemas/http/check-type.ts'
import { checkTypes } from '../../schemas/http/check-types/index.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import { MATCHED_CHARACTERS } from '../../schemas/safe-regex.ts'
import { AssertionFault, type CompiledAssertion, type Facts, failedOf, planAssertions, resultsOf, TINY_BYTES } from './assertions.ts'
import type { AttemptReport, Edge, Running } from './attempt.ts'
import type { TlsReport } from './certificate.ts'
import { Undecided } from './evaluator.ts'
import { withoutSecrets } from './found.ts'
import { Body, excerptOf, textOf } from './http-body.ts'
import { PlanFault } from './prober-type.ts'

/** The part of a plan that judging needs. */
export interface Judged {
  degradedAfterMs: number | null
  /** The assertions as written, and the compiled ones that may be evaluated beside other checks. */
  assertions: readonly Assertion[]
  planned: readonly CompiledAssertion[]
  /** Index of the assertion that the setting `expect` adds; null: the setting is absent. */
  expectAt?: number | null
  /** Credentials were sent, so a status of 401 or 407 is about them. */
  hasCredentials?: boolean
  /** Secrets that are sent and must not be shown if an answer repeats them. */
  secrets?: readonly string[]
  /** The workspace, which bears the cost of evaluating the assertions. */
  share: string
  /** The monitor's id and version. */
  monitor: string
}

export interface Answer {
  facts: Omit<Facts, 'body'>
  body?: Body
  contentType?: string | undefined
}

const DAY_MS = 86_400_000
/** Bodies up to this size are decoded and parsed beside other checks, in about a millisecond. */
const SMALL_BODY_BYTES = 65_536
/** Bytes of a larger body that are decoded for its excerpt. */
const EXCERPT_BYTES = 8192
/** More bytes than expressions read, in any charset. */
const MATCHED_BYTES = 4 * MATCHED_CHARACTERS + 1024

const nothing = new Body([])

/**
 * Prepares the judging of an assignment. `expect`: an expression that the text of the answer must
 * match. Throws PlanFault.
 */
export function judgedOf(assignment: Assignment, expect: string | null = null): Judged {
  const { assertions: written, degraded_after_ms, tenant_ref, monitor_id, config_version } = assignment
  const assertions: Assertion[] = expect === null ? written : [...written, { source: 'text', op: 'matches', value: expect }]
  return {
    degradedAfterMs: degraded_after_ms,
    assertions,
    planned: planned(assignment.type, assertions),
    expectAt: expect === null ? null : written.length,
    share: tenant_ref,
    monitor: `${monitor_id}:${config_version}`
  }
}

const types: ReadonlyMap<string, CheckType> = new Map(Object.entries(checkTypes))

function planned(type: string, assertions: readonly Assertion[]): CompiledAssertion[] {
  const known = types.get(type)?.assertions
  const strange = assertions.findIndex(({ source }) => known && !known[source])
  if (strange >= 0)
    throw new PlanFault(`Assertion ${strange + 1} has the source ${assertions[strange]?.source}, which ${type} does not have`)
  try {
    return planAssertions(assertions)
  } catch (error) {
    if (error instanceof AssertionFault) throw new PlanFault(error.message)
    throw error
  }
}

/**
 * Days until the certificate ends, with fractions; null without a certificate. `now` in epoch ms.
 */
export const daysLeft = (tls: TlsReport | null, now: number): number | null =>
  tls?.not_after ? (Date.parse(tls.not_after) - now) / DAY_MS : null

/** The facts of an answer that is not HTTP. */
export const factsOf = ({ report, watch }: Running, { now }: Pick<Edge, 'now'>, records?: readonly string[]): Omit<Facts, 'body'> => ({
  status: null,
  headers: {},
  latency_ms: watch.read().total ?? 0,
  tls_days: daysLeft(report.tls, now()),
  redirect_url: null,
  ip: report.remoteIp ?? '',
  ...(records && { records })
})

/**
 * Judges an answer and fills in `report`. Rejects with Undecided if the decided assertions leave
 * open whether the target is as expected.
 */
export async function judge(
  plan: Judged,
  report: AttemptReport,
  { facts, body = nothing, contentType }: Answer,
  { pool, abort }: Pick<Edge, 'pool' | 'abort'>
): Promise<void> {
  const { expectAt = null } = plan
  const isSmall = body.length <= SMALL_BODY_BYTES
  const text = isSmall ? textOf(body.first(SMALL_BODY_BYTES), contentType) : excerptOf(body.first(EXCERPT_BYTES), contentType)
  report.body = text
  const isHere = (one: CompiledAssertion): boolean =>
    one.place === 'here' || (one.place === 'small' && isSmall) || (one.place === 'tiny' && body.length <= TINY_BYTES)
  let results = resultsOf(plan.planned.filter(isHere), { ...facts, body: text })
  const left = plan.planned.filter((one) => !isHere(one))
  const asked = left.map(({ index }) => index)
  // Handing over 10 MiB is work too, so expressions get only what they read.
  const needed = left.every(({ isMatch, source }) => isMatch && source !== 'json') ? [body.first(MATCHED_BYTES)] : body.pieces
  const certain = failedOf(plan.planned, results, facts.status)
  const { secrets = [] } = plan
  // The setting `expect` is not an assertion of the monitor.
  const tell = (): void => {
    report.assertions = results
      .filter(({ index }) => index !== expectAt)
      .map((result) => ({ ...result, actual: result.actual === null ? null : withoutSecrets(result.actual, secrets) }))
  }
  tell()
  if (left.length > 0) {
    const { share, monitor, assertions } = plan
    try {
      const apart = await pool.evaluate({ share, monitor, assertions, asked, facts, body: needed, contentType }, abort)
      results = [...results, ...apart].sort((one, other) => one.index - other.index)
      tell()
    } catch (error) {
      // The target is down by what is already known, whatever the undecided assertions would say.
      if (!(error instanceof Undecided) || certain?.onFail !== 'down') throw error
    }
  }
  const failed = failedOf(plan.planned, results, facts.status)
  if (failed) {
    const isStatus = failed.source === 'status'
    report.outcome = failed.onFail === 'degraded' ? 'degraded' : 'failure'
    // A refusal of the monitor's credentials is not the same as a missing page.
    report.reason = isStatus
      ? plan.hasCredentials && (facts.status === 401 || facts.status === 407)
        ? 'auth'
        : 'http_status'
      : 'assertion'
    report.message = isStatus
      ? `The status is ${facts.status}; expected: ${failed.message}`
      : failed.index === expectAt
        ? 'The reply is not what is expected'
        : `Assertion ${(failed.index ?? 0) + 1} does not hold: ${failed.message}`
  } else if (plan.degradedAfterMs !== null && facts.latency_ms > plan.degradedAfterMs) {
    report.outcome = 'degraded'
    report.reason = 'assertion'
    report.message = `It took longer than ${plan.degradedAfterMs} ms`
  } else report.outcome = 'success'
}
