/**
 * Reads at the native receiver, and its heartbeat pings. It answers in the vendor's form from the
 * service's tables. Nothing here costs budget; the rate of reads applies.
 *
 *   GET v2/alerts/requests/{id}            the outcome of a request
 *   GET v2/alerts/{alert}, GET v2/alerts   alerts of this integration
 *   GET, POST, PUT, PATCH
 *   v2/heartbeats/{name}/ping              a ping of the workspace's heartbeat with that slug, by
 *                                          the rules of pings/reception.ts
 *
 * A request id is valid for 10 minutes, at any instance: native-requests.ts. The answer waits up to
 * 3 s until the fold has processed the alert or its end, because some senders ask 25 times in a row
 * and then give up. After that the answer is 404, as the vendor's is while it works.
 *
 * Source: docs/design/inbound-sources.md#s2-2; docs/design/api/alerts-and-routing.md#ib-13;
 * docs.opsgenie.com/docs/alert-api, /heartbeat-api (2026-11).
 */

import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { planOf, rates } from '../../../schemas/plans.ts'
import { type Credentials, type IntegrationCredential, Unavailable } from '../../credentials/tokens.ts'
import { type Answer, accepted, type Failure, unavailable } from '../../http/answer.ts'
import { isAllowed } from '../../http/networks.ts'
import { addressOf, type SenderAddress } from '../../http/sender-address.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import { type Pool, type Tx, tenantTransaction } from '../../store/pool.ts'
import {
  listSenderAlerts,
  readAlertOfNumber,
  readNewestOfKey,
  readSenderAlert,
  readSignalByPrefix,
  type SenderAlert
} from '../../store/sender-reads.ts'
import { type ExchangeLimits, Exchanges, RatedExchange } from '../exchange.ts'
import { signalKey } from '../normalise.ts'
import type { Found, PingReception } from '../pings/reception.ts'
import { createRates, type Rate, type RateStanding } from '../rates.ts'
import type { Watched } from '../watched.ts'
import type { DoorMetrics } from './metrics.ts'
import { inVendorsWords, KIND, keyOf, type Locate, mayBeOurs, type Named, type Read, receiver, unknownKey } from './native.ts'
import { readRequestId } from './native-requests.ts'
import { addressNotAllowed, disabled, noCredentials, Refused } from './refusals.ts'
import type { Verifier } from './verifier.ts'

const limits: ExchangeLimits = {
  requests: 500,
  bodyBytes: 16 * 1024,
  keptBytes: 0,
  heldBytes: 0,
  bodyMs: 8000,
  bodyBytesPerSecond: 20 * 1024
}
const WAIT_MS = 3000
const LOOK_MS = 100
const MAX_LISTED = 100
const MAX_OFFSET = 20_000

const noTables = unavailable('Alerts cannot be read at the moment: try again', 2)
const notYet: Failure = { status: 404, code: 'NOT_FOUND', error: 'Request not found. It might not be processed, yet.' }
const noAlert: Failure = { status: 404, code: 'NOT_FOUND', error: 'No alert of this integration goes by this identifier' }
const noHeartbeat: Failure = { status: 404, code: 'NOT_FOUND', error: 'No heartbeat of this workspace has this name as its slug' }
const unprocessable = (error: string): Failure => ({ status: 422, code: 'VALIDATION_FAILED', error })

export interface NativeReadsOptions {
  credentials: Pick<Credentials, 'integration'>
  verifier: Pick<Verifier, 'refusalAt'>
  pool: Pool
  senderAddress: SenderAddress
  watched: Pick<Watched, 'heartbeat'>
  pings: Pick<PingReception, 'receiveAt'>
  log: Log
  metrics: Pick<DoorMetrics, 'answered' | 'left'>
}

export interface NativeReads {
  receive(read: Read, response: HttpResponse, request: HttpRequest): void
  /** Finds the signal for an id or a number. */
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
const tagsOf = ({ labels }: SenderAlert): string[] => (labels.tags ? labels.tags.split(',') : [])

/** Returns an alert in the vendor's form. */
function alertOf(alert: SenderAlert, now: number): Record<string, unknown> {
  const { alias, entity = '', tags, responders, ...details } = alert.labels
  return {
    id: alert.id,
    tinyId: alert.number === null ? '' : String(alert.number),
    alias: alias ?? alert.id,
    message: alert.title,
    status: alert.status === 'ongoing' ? 'open' : 'closed',
    acknowledged: alert.acknowledged_at !== null,
    snoozed: alert.silenced_until !== null && alert.silenced_until > now,
    tags: tagsOf(alert),
    count: alert.occurrences,
    lastOccurredAt: iso(alert.last_seen_at ?? alert.opened_at),
    createdAt: iso(alert.opened_at),
    updatedAt: iso(alert.updated_at),
    source: alert.links.find(({ title }) => title === 'Source')?.url ?? '',
    owner: '',
    priority: alert.priority ?? priorities[alert.severity],
    responders: [],
    integration: { id: alert.integration_id, name: KIND, type: 'API' },
    entity,
    description: alert.summary ?? '',
    details
  }
}

/**
 * Reads the paging parameters of the vendor's clients. Of their search queries it supports only
 * those on the status.
 */
function pageOf(request: HttpRequest): { status: 'ongoing' | 'resolved' | null; limit: number; offset: number } | Failure {
  // A missing parameter is undefined here, although the server's types say otherwise.
  const asked = (name: string): string => request.getQuery(name) || ''
  const whole = (name: string, otherwise: number): number => (asked(name) === '' ? otherwise : Number(asked(name)))
  const [limit, offset] = [whole('limit', 20), whole('offset', 0)]
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED) return unprocessable(`limit must be a number from 1 to ${MAX_LISTED}`)
  if (!Number.isInteger(offset) || offset < 0 || offset > MAX_OFFSET)
    return unprocessable(`offset must be a number from 0 to ${MAX_OFFSET}`)
  const query = asked('query').replace(/\s/g, '').toLowerCase()
  if (query === '') return { status: null, limit, offset }
  if (query === 'status:open' || query === 'status=open') return { status: 'ongoing', limit, offset }
  if (query === 'status:closed' || query === 'status=closed') return { status: 'resolved', limit, offset }
  return unprocessable('Of queries, this door knows status:open and status:closed')
}

type Page = ReturnType<typeof pageOf>
type Asked = Exclude<Read, { action: 'ping' }>
type Reply = Failure | { body: Record<string, unknown> }

/** A read request in progress. Its body is read and dropped. */
class ReadExchange extends RatedExchange {
  constructor(
    private readonly reads: Reads,
    private readonly asked: Asked,
    response: HttpResponse,
    request: HttpRequest
  ) {
    super(reads.exchanges, 'native_receiver', response, request, inVendorsWords)
  }

  protected override start(request: HttpRequest): void {
    if (!this.fits(request)) return
    const page = pageOf(request)
    const holder = this.reads.holderOf(this.response, request)
    if (!(holder instanceof Promise)) return void this.serve(page, holder)
    holder.then(
      (known) => this.guarded(() => this.serve(page, known)),
      (error: unknown) => {
        if (!(error instanceof Unavailable)) this.all.log.error({ err: error, request_id: this.id }, 'a token could not be checked')
        this.fail(noCredentials)
      }
    )
  }

  protected override take(): void {
    // The body is never awaited: the address holds the whole question.
  }

  private serve(page: Page, holder: Holder): void {
    if ('code' in holder) return void this.fail(holder)
    if (!this.within(this.reads.rate(holder))) return
    this.reads.answerTo(this.asked, page, this, holder).then(
      (reply) => {
        if ('code' in reply) this.fail(reply)
        else this.answer(accepted(JSON.stringify({ ...reply.body, took: this.took(), requestId: this.id })))
      },
      (error: unknown) => {
        this.all.log.warn({ err: error, request_id: this.id }, 'the alerts of an integration could not be read')
        this.fail(noTables)
      }
    )
  }
}

class Reads implements NativeReads {
  readonly exchanges: Exchanges
  readonly close: Exchanges['close']
  private readonly rates = createRates('api_read')

  constructor(private readonly options: NativeReadsOptions) {
    this.exchanges = new Exchanges({ limits, log: options.log, metrics: options.metrics })
    this.close = this.exchanges.close
  }

  readonly receive = (read: Read, response: HttpResponse, request: HttpRequest): void => {
    if (read.action === 'ping') this.ping(read.name, response, request)
    else new ReadExchange(this, read, response, request).receive(request)
  }

  private ping(name: string, response: HttpResponse, request: HttpRequest): void {
    const { pings, watched } = this.options
    const find = async (): Promise<Found> => {
      const holder = await this.holderOf(response, request)
      return 'code' in holder ? holder : watched.heartbeat('name', `${holder.tenant_id}/${name.toLowerCase()}`)
    }
    const pong = (requestId: string, took: number): Answer => ({
      ...accepted(JSON.stringify({ result: 'PONG - Heartbeat received', took, requestId })),
      status: 202
    })
    pings.receiveAt({ find, unknown: noHeartbeat, accepted: pong, wording: inVendorsWords }, response, request)
  }

  /** Returns the integration of the token, if the token may be used from this address. */
  holderOf(response: HttpResponse, request: HttpRequest): Holder | Promise<Holder> {
    const { credentials, senderAddress } = this.options
    const { token, scheme } = keyOf(request.getHeader('authorization'))
    if (token === '' || scheme === 'bearer') return unknownKey
    const address = addressOf(senderAddress, response, request.getHeader('x-forwarded-for'))
    const found = credentials.integration(token)
    return found instanceof Promise ? found.then((integration) => this.judged(integration, address)) : this.judged(found, address)
  }

  private judged(integration: IntegrationCredential | null, address: string): Holder {
    if (!integration) return unknownKey
    if (!integration.enabled) return disabled
    if (!isAllowed(address, integration.allowed_cidrs)) return addressNotAllowed
    return this.options.verifier.refusalAt(receiver, integration) ?? integration
  }

  rate({ integration_id, plan }: IntegrationCredential): RateStanding {
    const { limit, burst, window_seconds } = rates.api_read
    const rate: Rate = { windowMs: window_seconds * 1000, limit: limit[planOf(plan).id], burst }
    return this.rates.take(integration_id, rate, performance.now())
  }

  private reading<T>({ tenant_id }: IntegrationCredential, work: (tx: Tx) => Promise<T>): Promise<T> {
    return tenantTransaction(this.options.pool, wholeWorkspace(tenant_id), work)
  }

  async answerTo(read: Asked, page: Page, exchange: ReadExchange, integration: IntegrationCredential): Promise<Reply> {
    const { tenant_id, integration_id } = integration
    switch (read.action) {
      case 'request':
        return this.requested(exchange, integration, read.request_id)
      case 'get': {
        const alert = await this.reading(integration, (tx) => namedAlert(tx, integration, read.alert))
        return alert ? { body: { data: alertOf(alert, Date.now()) } } : noAlert
      }
      case 'list': {
        if ('code' in page) return page
        const alerts = await this.reading(integration, (tx) => listSenderAlerts(tx, tenant_id, integration_id, page))
        return { body: { data: alerts.map((alert) => alertOf(alert, Date.now())), paging: {} } }
      }
    }
  }

  private async requested(exchange: ReadExchange, integration: IntegrationCredential, request_id: string): Promise<Reply> {
    const asked = readRequestId(integration, request_id, Date.now())
    if (!asked) return notYet
    const { action, received_at, key_prefix } = asked
    const opensOrEnds = action === 'create' || action === 'close'
    const until = performance.now() + WAIT_MS
    for (;;) {
      const signal = await this.reading(integration, (tx) => readSignalByPrefix(tx, integration.tenant_id, key_prefix))
      if (!opensOrEnds || (signal?.last_seen_at ?? 0) >= received_at) {
        const [name, status] = done[action] ?? ['', '']
        const data = {
          success: true,
          isSuccess: true,
          action: name,
          processedAt: new Date(Math.max(received_at, signal?.last_seen_at ?? 0)).toISOString(),
          integrationId: integration.integration_id,
          status,
          alertId: signal?.alert_id ?? '',
          alias: signal?.alias ?? ''
        }
        return { body: { data } }
      }
      if (exchange.over || performance.now() > until) return notYet
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  readonly locate: Locate = async (integration, named) => {
    let alert: SenderAlert | null
    try {
      alert = await this.reading(integration, (tx) => namedAlert(tx, integration, named))
    } catch (error) {
      const { integration_id } = integration
      this.options.log.warn({ err: error, integration_id }, 'the alert of an id could not be looked up')
      throw new Refused(noTables)
    }
    return alert && { signal_key: alert.dedup_key, alias: alert.labels.alias ?? alert.id }
  }
}

/**
 * Looks up by id or number when the identifier can be one of ours. If it finds nothing, it looks up
 * by alias.
 */
async function namedAlert(tx: Tx, integration: IntegrationCredential, named: Named): Promise<SenderAlert | null> {
  const { tenant_id, integration_id } = integration
  const { by, identifier } = named
  if (mayBeOurs(named)) {
    const found =
      by === 'tiny'
        ? await readAlertOfNumber(tx, tenant_id, integration_id, Number(identifier))
        : await readSenderAlert(tx, tenant_id, integration_id, identifier.toLowerCase())
    if (found) return found
  }
  return readNewestOfKey(tx, tenant_id, integration_id, signalKey(integration, KIND, identifier))
}

export const createNativeReads = (options: NativeReadsOptions): NativeReads => new Reads(options)
