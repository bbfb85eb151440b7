/**
 * A request at a door for alerts, and the payload that it brings: what the steps hand on to each
 * other.
 */
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
import type { Budget, Standing } from './budget.ts'
import type { Door } from './doors.ts'
import type { DoorMetrics } from './metrics.ts'
import { overBudget, overBudgetAnswer } from './over-budget.ts'
import type { PacedAppend } from './paced-append.ts'
import { lengthOf } from './refusals.ts'
import type { Verifier } from './verifier.ts'

/** What the steps work with. */
export interface Parts {
  credentials: Pick<Credentials, 'integration'>
  budget: Budget
  verifier: Verifier
  senderAddress: SenderAddress
  append: Append['append']
  /** For alerts. */
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
   * Inside the handler: refuses the request, or admits it now or once its token has been looked up.
   */
  admit(exchange: AlertExchange, request: HttpRequest): void
  /** The body of an admitted request. `bytes` may be gone after the call. */
  take(exchange: AlertExchange, bytes: Buffer): void
}

/** A body under way. Steps add to it what they find out. */
export interface Payload {
  readonly exchange: AlertExchange
  readonly integration: IntegrationCredential
  /** Of the door or, once decoded, of the body. */
  source: Source
  bytes: Buffer
  /** Epoch ms. */
  readonly received_at: number
  /** False where the bytes could not be decoded, too; then `body` is empty. */
  isDecoded: boolean
  body: Decoded['body']
  escaped: boolean
}

/** The plan's figure of the budget, before the floor. */
const ceilingOf = ({ plan }: IntegrationCredential): number => ingestPerMinute(planOf(plan))

const budgetLines = (standing: Standing): string => standingLines(standing, 'ingest_tenant')

export class AlertExchange extends Exchange {
  readonly parts: Parts
  readonly door: Door
  /** Stands for the body; null where there is one. */
  readonly query: string | null
  /** Content type. */
  readonly type: string
  readonly length: number
  readonly encoding: string
  integration: IntegrationCredential | null = null
  /** Reads the body; null until the request is admitted. */
  source: Source | null = null
  /** Those that the source reads; those that any source reads while it is not known. */
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

  /** The token comes first: while it is looked up, what is too much is dropped. */
  protected override overflow(): void {
    this.release()
    if (this.source) super.overflow()
  }

  protected override take(body: Buffer): void {
    this.steps.take(this, body)
  }

  /** All checks of the headers have passed: `source` reads the body, where there is a place. */
  admitted(source: Source, { tenant_id }: IntegrationCredential): void {
    if (!this.belongsTo(tenant_id)) return
    this.source = source
    this.awaitBody()
  }

  address(): string {
    return addressOf(this.parts.senderAddress, this.response, this.forwarded)
  }

  /** Asks the budget; a refusal is counted there. */
  askBudget(integration: IntegrationCredential): Standing {
    return this.parts.budget.admit(integration.tenant_id, ceilingOf(integration), steadyNow())
  }

  count(integration: IntegrationCredential, alerts: number): void {
    this.parts.budget.count(integration.tenant_id, ceilingOf(integration), alerts, steadyNow())
  }

  /** Where the sender is known, every answer says where its budget stands. */
  protected override standing(): string {
    const { integration } = this
    return integration ? budgetLines(this.parts.budget.standing(integration.tenant_id, ceilingOf(integration), steadyNow())) : ''
  }

  /** Refuses the request with where the budget stood when it was asked. */
  refuseOverBudget(standing: Standing): void {
    if (this.wording) this.fail(overBudget(standing), budgetLines(standing))
    else this.answer(overBudgetAnswer(standing, this.id), budgetLines(standing))
  }
}
