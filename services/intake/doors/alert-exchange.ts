/** A request at a door for alerts, and its payload: the state that the steps pass to each other. */
import type { Codec } from '../../../schemas/codec.ts'
import { ingestPerMinute, planOf } from '../../../schemas/plans.ts'
import { steadyNow } from '../../../streams/runtime/steady.ts'
import type { Append } from '../../../streams/runtime/stream.ts'
import type { Credentials, IntegrationCredential } from '../../credentials/tokens.ts'
import { addressOf, type SenderAddress } from '../../http/sender-address.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import type { Decoded } from '../body.ts'
import { Exchange, type Exchanges, standingLines } from '../exchange.ts'
import type { FormerKeys } from '../former-keys.ts'
import type { Noticing } from '../ignored.ts'
import type { Source } from '../source.ts'
import type { Budget, Counted, Standing } from './budget.ts'
import type { Door } from './doors.ts'
import type { DoorMetrics } from './metrics.ts'
import { overBudget, overBudgetAnswer } from './over-budget.ts'
import type { PacedAppend } from './paced-append.ts'
import { lengthOf } from './refusals.ts'
import type { Verifier } from './verifier.ts'

/** The services that the steps use. */
export interface Parts {
  credentials: Pick<Credentials, 'integration'>
  budget: Budget
  verifier: Verifier
  senderAddress: SenderAddress
  append: Append['append']
  /** The append of alerts. */
  pacedAppend: PacedAppend
  /** The door's time, epoch ms (../time/door-time.ts). Default: the wall clock. */
  now?: () => number
  codec: Pick<Codec, 'encode'>
  formerKeys: FormerKeys
  counts: Noticing
  log: Log
  metrics: DoorMetrics
}

export interface Steps {
  /**
   * Runs inside the handler. Refuses the request, or admits it at once or after its token has been
   * looked up.
   */
  admit(exchange: AlertExchange, request: HttpRequest): void
  /** Processes the body of an admitted request. `bytes` may become invalid after the call. */
  take(exchange: AlertExchange, bytes: Buffer): void
}

/** A body in progress. Each step adds what it finds out. */
export interface Payload {
  readonly exchange: AlertExchange
  readonly integration: IntegrationCredential
  /** The source of the door; after decoding, the source that the body shows. */
  source: Source
  bytes: Buffer
  /** Epoch ms. */
  readonly received_at: number
  /** False also when the bytes could not be decoded; then `body` is empty. */
  isDecoded: boolean
  body: Decoded['body']
  escaped: boolean
}

/** The budget that the plan gives, before the floor is applied. */
const ceilingOf = ({ plan }: IntegrationCredential): number => ingestPerMinute(planOf(plan))

const budgetLines = (standing: Standing): string => standingLines(standing, 'ingest_tenant')

export class AlertExchange extends Exchange {
  readonly parts: Parts
  readonly door: Door
  /** The query string that replaces the body; null when there is a body. */
  readonly query: string | null
  /** Content type. */
  readonly type: string
  readonly length: number
  readonly encoding: string
  integration: IntegrationCredential | null = null
  /** The source that reads the body; null until the request is admitted. */
  source: Source | null = null
  /**
   * The headers that the source reads, or while the source is unknown, those that any source reads.
   */
  readonly headers: Record<string, string> = {}
  private readonly steps: Steps
  /** X-Forwarded-For. */
  private readonly forwarded: string

  constructor(all: Exchanges, parts: Parts, steps: Steps, door: Door, response: HttpResponse, request: HttpRequest, query: string | null) {
    super(all, door.name, response, request, door.wording)
    this.parts = parts
    this.steps = steps
    this.door = door
    this.query = query
    this.type = request.getHeader('content-type')
    this.length = lengthOf(request.getHeader('content-length'))
    this.encoding = request.getHeader('content-encoding')
    this.forwarded = request.getHeader('x-forwarded-for')
  }

  protected override start(request: HttpRequest): void {
    this.steps.admit(this, request)
  }

  protected override listen(): void {
    if (this.query === null) super.listen()
    else this.arrived(Buffer.from(this.query), true)
  }

  /**
   * The token is checked before the size. While it is looked up, an oversized body is dropped, not
   * yet refused.
   */
  protected override overflow(): void {
    this.release()
    if (this.source) super.overflow()
  }

  protected override take(body: Buffer): void {
    this.steps.take(this, body)
  }

  /**
   * All checks of the headers have passed. `source` reads the body if the workspace may have a
   * place.
   */
  admitted(source: Source, { tenant_id }: IntegrationCredential): void {
    if (!this.belongsTo(tenant_id)) return
    this.source = source
    this.awaitBody()
  }

  address(): string {
    return addressOf(this.parts.senderAddress, this.response, this.forwarded)
  }

  /** Asks the budget, which also counts a refusal. */
  askBudget(integration: IntegrationCredential): Standing {
    return this.parts.budget.admit(integration.tenant_id, ceilingOf(integration), steadyNow())
  }

  count(integration: IntegrationCredential, alerts: number): Counted {
    return this.parts.budget.count(integration.tenant_id, ceilingOf(integration), alerts, steadyNow()).counted
  }

  /** The log certainly did not store what was counted. */
  takeBack({ tenant_id }: IntegrationCredential, counted: Counted): void {
    this.parts.budget.takeBack(tenant_id, counted)
  }

  /** When the sender is known, every answer has the headers that show its budget. */
  protected override standing(): string {
    const { integration } = this
    return integration ? budgetLines(this.parts.budget.standing(integration.tenant_id, ceilingOf(integration), steadyNow())) : ''
  }

  /** Refuses the request. The headers show the budget as it was when it was asked. */
  refuseOverBudget(standing: Standing): void {
    if (this.wording) this.fail(overBudget(standing), budgetLines(standing))
    else this.answer(overBudgetAnswer(standing, this.id), budgetLines(standing))
  }
}
