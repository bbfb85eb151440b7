/**
 * api: HTTP requests one after the other, each with its assertions. Values extracted from one
 * answer can be used in later requests. Every address is judged after its values are filled in.
 * What holds a secret or an extracted value is not part of a result, and does not follow a redirect
 * to another origin.
 */
import { filledIn, namesIn, originPart, type Step, stepFaults, type Variable } from '../../../schemas/http/api-steps.ts'
import { isSecretHeader } from '../../../schemas/http/check-config.ts'
import type { ApiConfig } from '../../../schemas/http/check-types/api.ts'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { attemptsOf, type Edge, emptyReport, type Running } from '../attempt.ts'
import { type Followed, followHttp } from '../check-http.ts'
import { CheckFailure } from '../failure.ts'
import { textOf } from '../http-body.ts'
import { isHeader, parseTarget, planRequest } from '../http-plan.ts'
import { type CompiledPath, compilePath, type JsonValue, PathRefused } from '../json-path.ts'
import { daysLeft, type Judged, judge, judgedOf } from '../judging.ts'
import { PlanFault, type ProberType } from '../prober-type.ts'

interface Extracts {
  name: string
  find: (answer: Followed, json: () => JsonValue | undefined) => JsonValue | undefined
}

interface PlannedStep extends Judged {
  step: Step
  /** Prefix of the step's failure messages, for people. */
  title: string
  extracts: readonly Extracts[]
}

interface ApiPlan extends Judged {
  base: URL
  steps: readonly PlannedStep[]
  variables: readonly Variable[]
  common: HttpConfig
  userAgent: string
}

/** A larger answer fails, because values are extracted beside other checks. */
const MAX_BODY_BYTES = 262_144
const MAX_VALUE = 8192

function planStep(step: Step, at: number, assignment: Assignment): PlannedStep {
  const { monitor_id, config_version } = assignment
  const judged = judgedOf({ ...assignment, type: 'http', assertions: step.assertions ?? [], degraded_after_ms: null })
  return {
    ...judged,
    monitor: `${monitor_id}:${config_version}:${at}`,
    step,
    title: step.name ? `Step ${at + 1}, ${step.name}` : `Step ${at + 1}`,
    extracts: (step.extract ?? []).map(extractsOf)
  }
}

function extractsOf({ name, source, property }: NonNullable<Step['extract']>[number]): Extracts {
  if (source === 'header') {
    const header = property.toLowerCase()
    return { name, find: ({ head: { headers } }) => [Object.hasOwn(headers, header) ? headers[header] : []].flat()[0] }
  }
  const path = singularPath(property)
  return {
    name,
    find(_answer, json) {
      const body = json()
      try {
        return body === undefined ? undefined : path.find(body)[0]
      } catch (error) {
        // The body nests deeper than the stack allows, so nothing is found in it.
        if (error instanceof RangeError) return undefined
        throw error
      }
    }
  }
}

function singularPath(text: string): CompiledPath {
  try {
    const path = compilePath(text)
    if (path.singular) return path
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error
  }
  throw new PlanFault('A path to extract by must name one place')
}

function planApi(assignment: Assignment, userAgent: string): ApiPlan {
  const { steps = [], variables = [], follow_redirects, verify_tls, ca_pem, ip_family, http_version } = assignment.config as ApiConfig
  const [fault] = stepFaults({ steps, variables })
  if (fault) throw new PlanFault(`The setting ${fault.path} ${fault.message}`)
  return {
    ...judgedOf(assignment),
    base: parseTarget(assignment.target),
    steps: steps.map((step, at) => planStep(step, at, assignment)),
    variables,
    common: {
      follow_redirects: follow_redirects ?? true,
      verify_tls: verify_tls ?? true,
      ca_pem: ca_pem ?? null,
      ip_family: ip_family ?? 'auto',
      http_version: http_version ?? 'auto',
      max_body_bytes: MAX_BODY_BYTES
    },
    userAgent
  }
}

type Values = ReadonlyMap<string, string>

const xml: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Returns a value, escaped for a body of this type. */
function inBody(value: string, type: Step['body_type'] = 'json'): string {
  switch (type) {
    case 'json':
    case 'graphql':
      return JSON.stringify(value).slice(1, -1)
    case 'form':
      return encodeURIComponent(value)
    case 'xml':
      return value.replace(/[&<>"']/g, (character) => xml[character] ?? character)
    default:
      return value
  }
}

function inOrigin(value: string): string {
  if (/^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$/.test(value)) return value
  throw new CheckFailure('protocol', 'A value is no host and cannot stand in an address')
}

function inHeader(value: string): string {
  if (isHeader('x', value)) return value
  throw new CheckFailure('protocol', 'A value has characters that no header takes')
}

/**
 * Returns the address of a step with its values filled in. A value can change the host only if it
 * stands in the host, and it can change nothing beyond its own place.
 */
function addressOf({ url }: Step, base: URL, lookUp: (name: string) => string): URL {
  const origin = originPart(url)
  const path = filledIn(url.slice(origin.length), (name) => encodeURIComponent(lookUp(name)))
  const written = `${filledIn(origin, (name) => inOrigin(lookUp(name)))}${path}`
  const address = URL.canParse(written, base.href) ? new URL(written, base.href) : null
  if (!address || (origin === '' && address.origin !== base.origin) || address.username || address.password) {
    throw new CheckFailure('protocol', 'Its values make no address')
  }
  address.hash = ''
  return address
}

/**
 * Returns the request of a step with its values filled in. `hidden`: names whose values are secret.
 */
function requestOf({ step }: PlannedStep, plan: ApiPlan, values: Values, hidden: ReadonlySet<string>) {
  const lookUp = (name: string): string => values.get(name) ?? ''
  const { method = 'GET', body, body_type = 'json', headers = [] } = step
  const config: HttpConfig = {
    ...plan.common,
    method,
    body_type,
    body: body ? filledIn(body, (name) => inBody(lookUp(name), body_type)) : null,
    headers: headers.map(({ name, value }) => ({
      name,
      value: filledIn(value, (one) => inHeader(lookUp(one))),
      secret: namesIn(value).some((one) => hidden.has(one))
    }))
  }
  return planRequest(addressOf(step, plan.base, lookUp), config, plan.userAgent)
}

function extracted({ extracts }: PlannedStep, answer: Followed, values: Map<string, string>): void {
  let parsed: { value: JsonValue | undefined } | undefined
  const json = (): JsonValue | undefined => {
    parsed ??= { value: jsonOf(textOf(answer.body.first(MAX_BODY_BYTES), answer.head.headers['content-type'])) }
    return parsed.value
  }
  for (const { name, find } of extracts) {
    const value = find(answer, json)
    const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
    if (text === null || text.length > MAX_VALUE) throw new CheckFailure('assertion', `The answer has no value for {{${name}}}`)
    values.set(name, text)
  }
}

/**
 * Returns JSON whose large integers are texts: as numbers they would lose their last digits, and
 * the next step would ask for something else.
 */
const withDigits = (json: string): string =>
  json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
  )

/** Undefined when the text is not JSON. */
function jsonOf(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return /\d{16}/.test(text) ? (JSON.parse(withDigits(text)) as JsonValue) : value
  } catch {
    return undefined
  }
}

const factsOf = ({ head, redirectUrl }: Followed, { report }: Running, { now }: Edge, latency_ms: number) => ({
  status: head.status,
  headers: head.headers,
  latency_ms,
  tls_days: daysLeft(report.tls, now()),
  redirect_url: redirectUrl,
  ip: report.remoteIp ?? ''
})

/** A step that is degraded does not stop the steps after it. */
interface Done {
  answer: Followed
  degraded: string | null
}

async function performStep(
  planned: PlannedStep,
  plan: ApiPlan,
  values: Map<string, string>,
  hidden: Set<string>,
  running: Running,
  edge: Edge
): Promise<Done> {
  const { watch, report } = running
  const before = watch.read().total ?? 0
  const isFirst = watch.phase === null
  // Redirect addresses are not part of the result, because they may contain values.
  const own: Running = { ...running, report: emptyReport() }
  const { request, hasCredentials } = requestOf(planned, plan, values, hidden)
  const answer = await followHttp(request, edge, own).finally(() => {
    report.status = own.report.status
    report.remoteIp = own.report.remoteIp
    report.tls ??= own.report.tls
  })
  report.version = answer.head.version
  report.bytes = answer.body.length
  const latency_ms = (watch.read().total ?? 0) - (isFirst ? 0 : before)
  const { body } = answer
  const facts = factsOf(answer, running, edge, latency_ms)
  await running.aside(() =>
    judge({ ...planned, hasCredentials }, own.report, { facts, body, contentType: answer.head.headers['content-type'] }, edge)
  )
  const { outcome, reason, message } = own.report
  if (outcome === 'failure') throw new CheckFailure(reason ?? 'assertion', message ?? 'It is not as expected')
  extracted(planned, answer, values)
  for (const { name } of planned.extracts) hidden.add(name)
  return { answer, degraded: outcome === 'degraded' ? `${running.at}${message ?? ''}` : null }
}

async function perform(plan: ApiPlan, running: Running, edge: Edge): Promise<void> {
  const { report, watch } = running
  const values = new Map(plan.variables.map(({ name, value }) => [name, value ?? '']))
  const hidden = new Set(plan.variables.filter(isSecretHeader).map(({ name }) => name))
  let degraded: string | null = null
  let last: Followed | null = null
  for (const planned of plan.steps) {
    running.at = `${planned.title}: `
    const done = await performStep(planned, plan, values, hidden, running, edge)
    degraded ??= done.degraded
    last = done.answer
  }
  running.at = ''
  running.ended()
  if (!last) return
  const facts = factsOf(last, running, edge, watch.read().total ?? 0)
  // Each step has judged its own status already.
  const status = plan.assertions.some(({ source }) => source === 'status') ? facts.status : null
  const secrets = [...hidden].flatMap((name) => values.get(name) ?? [])
  await judge(
    { ...plan, secrets },
    report,
    { facts: { ...facts, status }, body: last.body, contentType: last.head.headers['content-type'] },
    edge
  )
  report.body = null
  if (report.outcome === 'success' && degraded !== null) {
    report.outcome = 'degraded'
    report.reason = 'assertion'
    report.message = degraded
  }
}

export const type: ProberType = {
  plan(assignment, { userAgent }) {
    const plan = planApi(assignment, userAgent)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
