/**
 * What is read at the native receiver, and its heartbeat pings: the vendor's answers out of our tables. Nothing here costs budget; it has the rate of reads.
 *
 *   GET v2/alerts/requests/{id}            known for 10 minutes, at any instance: native-requests.ts. The answer waits up to 3 s for the fold to have seen
 *                                          an alert or its end, since some senders ask 25 times in a row and give up; then 404, as the vendor's while it works
 *   GET v2/alerts/{alert}, GET v2/alerts   incidents that this integration's alerts opened
 *   GET, POST v2/heartbeats/{name}/ping    a ping of the workspace's heartbeat with that slug, by the rules of pings/reception.ts
 * Source: docs/design/inbound-sources.md#s2-2; docs/design/api/alerts-and-routing.md#ib-13; docs.opsgenie.com/docs/alert-api, /heartbeat-api (2026-11).
 */
import { planOf, rates } from '../../../schemas/plans.ts'
import { type Credentials, type IntegrationCredential, Unavailable } from '../../credentials/tokens.ts'
import { type Failure, unavailable } from '../../http/answer.ts'
import { isAllowed } from '../../http/networks.ts'
import { addressOf, type SenderAddress } from '../../http/sender-address.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import { type Pool, type Tx, tenantTransaction } from '../../store/pool.ts'
import {
  listSenderIncidents,
  readNewestOfKey,
  readSenderIncident,
  readSignalByPrefix,
  type SenderIncident
} from '../../store/sender-reads.ts'
import { signalKey } from '../normalise.ts'
import type { Found, PingReception } from '../pings/reception.ts'
import { createRates } from '../rates.ts'
import { createVisits, rateLimited, type Visit, type VisitLimits } from '../visits.ts'
import type { Watched } from '../watched.ts'
import type { DoorMetrics } from './metrics.ts'
import { inVendorsWords, KIND, keyOf, type Locate, mayBeOurs, type Named, type Read, receiver, unknownKey } from './native.ts'
import { readRequestId } from './native-requests.ts'
import type { Proving } from './proving.ts'
import { addressNotAllowed, disabled, noCredentials, Refused } from './refusals.ts'

const limits: VisitLimits = { requests: 500, bodyBytes: 16 * 1024, keptBytes: 0, heldBytes: 0, bodyMs: 8000, bodyBytesPerSecond: 20 * 1024 }
const WAIT_MS = 3000
const LOOK_MS = 100
const MOST_LISTED = 100
const MOST_OFFSET = 20_000

const noTables = unavailable('Alerts cannot be read at the moment: try again', 2)
const notYet: Failure = { status: 404, code: 'NOT_FOUND', error: 'Request not found. It might not be processed, yet.' }
const noAlert: Failure = { status: 404, code: 'NOT_FOUND', error: 'No alert of this integration goes by this identifier' }
const noHeartbeat: Failure = { status: 404, code: 'NOT_FOUND', error: 'No heartbeat of this workspace has this name as its slug' }
const unprocessable = (error: string): Failure => ({ status: 422, code: 'VALIDATION_FAILED', error })

export interface NativeReadsOptions {
  credentials: Pick<Credentials, 'integration'>
  proving: Pick<Proving, 'refusalAt'>
  pool: Pool
  senderAddress: SenderAddress
  watched: Pick<Watched, 'heartbeat'>
  pings: Pick<PingReception, 'receiveAt'>
  log: Log
  metrics: Pick<DoorMetrics, 'answered' | 'left'>
}

export interface NativeReads {
  receive(read: Read, response: HttpResponse, request: HttpRequest): void
  /** Which signal an id or a number means. */
  locate: Locate
  close(ms: number): Promise<void>
}

type Holder = IntegrationCredential | Failure

const done: Readonly<Record<string, [action: string, status: string]>> = {
  create: ['Create', 'Created alert'],
  close: ['Close', 'Closed alert'],
  acknowledge: ['Acknowledge', 'Kept as a note'],
  unacknowledge: ['UnAcknowledge', 'Kept as a note'],
  notes: ['AddNote', 'Added note'],
  snooze: ['Snooze', 'Kept as a note'],
  message: ['UpdateMessage', 'Updated message'],
  description: ['UpdateDescription', 'Updated description']
}

const priorities = { critical: 'P1', warning: 'P3', info: 'P5' } as const
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
const tagsOf = ({ labels }: SenderIncident): string[] => (labels.tags ? labels.tags.split(',') : [])

/** An incident as an alert of the vendor's. */
function alertOf(incident: SenderIncident, now: number): Record<string, unknown> {
  const { alias, entity = '', tags, responders, ...details } = incident.labels
  return {
    id: incident.incident_id,
    tinyId: String(incident.number),
    alias: alias ?? incident.incident_id,
    message: incident.title,
    status: incident.status === 'ongoing' ? 'open' : 'closed',
    acknowledged: incident.acknowledged_at !== null,
    snoozed: incident.silenced_until !== null && incident.silenced_until > now,
    tags: tagsOf(incident),
    count: incident.occurrences,
    lastOccurredAt: iso(incident.last_seen_at ?? incident.opened_at),
    createdAt: iso(incident.opened_at),
    updatedAt: iso(incident.updated_at),
    source: incident.links.find(({ title }) => title === 'Source')?.url ?? '',
    owner: '',
    priority: incident.priority ?? priorities[incident.severity],
    responders: [],
    integration: { id: incident.integration_id, name: KIND, type: 'API' },
    entity,
    description: incident.summary ?? '',
    details
  }
}

/** A page as the vendor's clients ask for it; of its queries, those on the status alone. */
function pageOf(request: HttpRequest): { status: 'ongoing' | 'resolved' | null; limit: number; offset: number } | Failure {
  const asked = (name: string): string => request.getQuery(name) || '' // What is absent is undefined here, whatever the server's types say.
  const whole = (name: string, otherwise: number): number => (asked(name) === '' ? otherwise : Number(asked(name)))
  const [limit, offset] = [whole('limit', 20), whole('offset', 0)]
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED)
    return unprocessable(`limit has to be a number from 1 to ${MOST_LISTED}`)
  if (!Number.isInteger(offset) || offset < 0 || offset > MOST_OFFSET)
    return unprocessable(`offset has to be a number from 0 to ${MOST_OFFSET}`)
  const query = asked('query').replace(/\s/g, '').toLowerCase()
  if (query === '') return { status: null, limit, offset }
  if (query === 'status:open' || query === 'status=open') return { status: 'ongoing', limit, offset }
  if (query === 'status:closed' || query === 'status=closed') return { status: 'resolved', limit, offset }
  return unprocessable('Of queries, this door knows status:open and status:closed')
}

export function createNativeReads(options: NativeReadsOptions): NativeReads {
  const { credentials, proving, pool, senderAddress, watched, pings, log, metrics } = options
  const visits = createVisits({ door: 'native_receiver', limits, headers: '', log, metrics })
  const readRates = createRates('api_read')

  /** Whose the token is, if it may be used from here. */
  function holderOf(response: HttpResponse, request: HttpRequest): Holder | Promise<Holder> {
    const { token, scheme } = keyOf(request.getHeader('authorization'))
    const address = addressOf(senderAddress, response, request.getHeader('x-forwarded-for'))
    const judged = (integration: IntegrationCredential | null): Holder => {
      if (!integration) return unknownKey
      if (!integration.enabled) return disabled
      if (!isAllowed(address, integration.allowed_cidrs)) return addressNotAllowed
      return proving.refusalAt(receiver, integration) ?? integration
    }
    if (token === '' || scheme === 'bearer') return unknownKey
    const found = credentials.integration(token)
    return found instanceof Promise ? found.then(judged) : judged(found)
  }

  const reading = <T>({ tenant_id }: IntegrationCredential, work: (tx: Tx) => Promise<T>): Promise<T> =>
    tenantTransaction(pool, tenant_id, work)

  /** By id or number, where it is one of ours; then by alias, unless a number was asked for. */
  async function incidentOf(tx: Tx, integration: IntegrationCredential, alert: Named): Promise<SenderIncident | null> {
    const { tenant_id, integration_id } = integration
    const { by, identifier } = alert
    if (mayBeOurs(alert)) {
      const reference = by === 'tiny' ? { number: Number(identifier) } : { incident_id: identifier.toLowerCase() }
      const found = await readSenderIncident(tx, tenant_id, integration_id, reference)
      if (found) return found
    }
    return readNewestOfKey(tx, tenant_id, integration_id, signalKey(integration, KIND, identifier))
  }

  type Reply = Failure | { body: Record<string, unknown> }

  async function requested(visit: Visit, integration: IntegrationCredential, request_id: string): Promise<Reply> {
    const asked = readRequestId(integration, request_id, Date.now())
    if (!asked) return notYet
    const { action, received_at, key_prefix } = asked
    const judged = action === 'create' || action === 'close'
    const until = performance.now() + WAIT_MS
    for (;;) {
      const signal = await reading(integration, (tx) => readSignalByPrefix(tx, integration.tenant_id, key_prefix))
      if (!judged || (signal?.last_seen_at ?? 0) >= received_at) {
        const [name, status] = done[action] ?? ['', '']
        const data = {
          success: true,
          isSuccess: true,
          action: name,
          processedAt: new Date(Math.max(received_at, signal?.last_seen_at ?? 0)).toISOString(),
          integrationId: integration.integration_id,
          status,
          alertId: signal?.incident_id ?? '',
          alias: signal?.alias ?? ''
        }
        return { body: { data } }
      }
      if (visit.over() || performance.now() > until) return notYet
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async function answerTo(
    read: Exclude<Read, { action: 'ping' }>,
    page: ReturnType<typeof pageOf>,
    visit: Visit,
    integration: IntegrationCredential
  ): Promise<Reply> {
    const { tenant_id, integration_id } = integration
    switch (read.action) {
      case 'request':
        return requested(visit, integration, read.request_id)
      case 'get': {
        const incident = await reading(integration, (tx) => incidentOf(tx, integration, read.alert))
        return incident ? { body: { data: alertOf(incident, Date.now()) } } : noAlert
      }
      case 'list': {
        if ('code' in page) return page
        const incidents = await reading(integration, (tx) => listSenderIncidents(tx, tenant_id, integration_id, page))
        return { body: { data: incidents.map((incident) => alertOf(incident, Date.now())), paging: {} } }
      }
    }
  }

  function serve(read: Exclude<Read, { action: 'ping' }>, page: ReturnType<typeof pageOf>, visit: Visit, holder: Holder): void {
    if ('code' in holder) return void visit.fail(holder)
    const { limit, burst, window_seconds } = rates.api_read
    const rate = { windowMs: window_seconds * 1000, limit: limit[planOf(holder.plan).id], burst }
    const standing = readRates.take(holder.integration_id, rate, performance.now())
    visit.rated(standing)
    if (!standing.admitted) return void visit.fail(rateLimited(standing))
    answerTo(read, page, visit, holder).then(
      (reply) => {
        if ('code' in reply) visit.fail(reply)
        else visit.answer(200, 'application/json', JSON.stringify({ ...reply.body, took: visit.took(), requestId: visit.id }))
      },
      (error: unknown) => {
        log.warn({ err: error, request_id: visit.id }, 'the alerts of an integration could not be read')
        visit.fail(noTables)
      }
    )
  }

  function unknown(visit: Visit, error: unknown): void {
    if (!(error instanceof Unavailable)) log.error({ err: error, request_id: visit.id }, 'a token could not be checked')
    visit.fail(noCredentials)
  }

  async function heartbeatOf(name: string, holder: Holder | Promise<Holder>): Promise<Found> {
    const found = await holder
    if ('code' in found) return found
    return watched.heartbeat('name', `${found.tenant_id}/${name.toLowerCase()}`)
  }

  return {
    receive(read, response, request) {
      if (read.action === 'ping') {
        pings.receiveAt(
          {
            find: () => heartbeatOf(read.name, holderOf(response, request)),
            unknown: noHeartbeat,
            accepted(visit) {
              const body = { result: 'PONG - Heartbeat received', took: visit.took(), requestId: visit.id }
              visit.answer(202, 'application/json', JSON.stringify(body))
            },
            wording: inVendorsWords
          },
          response,
          request
        )
        return
      }
      const handle = (visit: Visit): void => {
        const page = pageOf(request)
        const holder = holderOf(response, request)
        if (holder instanceof Promise) {
          holder.then(
            (known) => visits.guarded(visit, () => serve(read, page, visit, known)),
            (error: unknown) => unknown(visit, error)
          )
        } else serve(read, page, visit, holder)
      }
      visits.receive(response, request, handle, inVendorsWords)
    },
    async locate(integration, alert) {
      let incident: SenderIncident | null
      try {
        incident = await reading(integration, (tx) => incidentOf(tx, integration, alert))
      } catch (error) {
        log.warn({ err: error, integration_id: integration.integration_id }, 'the alert of an id could not be looked up')
        throw new Refused(noTables)
      }
      return incident && { signal_key: incident.dedup_key, alias: incident.labels.alias ?? incident.incident_id }
    },
    close: visits.close
  }
}
