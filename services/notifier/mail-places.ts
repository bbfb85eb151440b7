/**
 * Says how many attempts by mail may be under way. One mail server of the operator is behind all
 * addresses. When it hangs, each mail keeps its place for as long as an attempt may take, so mails
 * get only a share of the places: messages by phone, push, chat and webhook do not wait for them.
 * A server that keeps failing rests as a whole. After its rest, a few mails try it.
 */
import { MAX_IN_FLIGHT, type MailRoom } from '../store/deliveries.ts'
import { Breaker } from './breaker.ts'
import type { InFlight } from './in-flight.ts'

/** Mails get at most this fraction of the places of a process and of a workspace: one in 8. */
const MAIL_SHARE = 8
/** A mail server that is back gets mail within a minute. */
const MAX_REST_MS = 60_000
/** One server is known to this breaker. */
const SERVER = 'mail server'

const shareOfMail = (places: number): number => Math.ceil(places / MAIL_SHARE)

export const isMail = ({ kind }: { kind: string }): boolean => kind === 'email'

/** Times are of performance.now(). */
export class MailPlaces {
  readonly #breaker = new Breaker(MAX_REST_MS)
  readonly #inFlight: Pick<InFlight, 'mails' | 'mailsOf'>
  readonly #most: number
  readonly #mostOfWorkspace: number

  /** The maximum numbers of concurrent attempts are those of all kinds. */
  constructor(inFlight: Pick<InFlight, 'mails' | 'mailsOf'>, maxInFlight: number, roomOfWorkspace: number) {
    this.#inFlight = inFlight
    this.#most = shareOfMail(maxInFlight)
    this.#mostOfWorkspace = shareOfMail(roomOfWorkspace)
  }

  /** Call when the mail server answered, whatever it said about the mail. */
  answered(): void {
    this.#breaker.answered(SERVER)
  }

  /** Call when an attempt failed by a fault of the mail server. */
  failed(now: number): void {
    this.#breaker.failed(SERVER, now)
  }

  rests(now: number): boolean {
    return this.#breaker.rests(SERVER, now)
  }

  /** How many attempts by mail may be under way now. */
  #mostAt(now: number): number {
    if (this.rests(now)) return 0
    return this.#breaker.isInDoubt(SERVER) ? Math.min(MAX_IN_FLIGHT, this.#most) : this.#most
  }

  /** Whether this process has room for a mail of the workspace. */
  isRoomFor(tenant_id: string, now: number): boolean {
    return this.#inFlight.mails < this.#mostAt(now) && this.#inFlight.mailsOf(tenant_id) < this.#mostOfWorkspace
  }

  /** Returns the room that a look at the queue may use. */
  room(now: number): MailRoom {
    return { room: this.#mostAt(now) - this.#inFlight.mails, roomOfWorkspace: this.#mostOfWorkspace }
  }

  /** Returns the room for what follows attempts that have `ended`: half of it. */
  roomAfter(ended: readonly { row: { kind: string } }[], now: number): MailRoom {
    const others = this.#inFlight.mails - ended.filter(({ row }) => isMail(row)).length
    return { room: Math.floor(this.#mostAt(now) / 2) - others, roomOfWorkspace: Math.ceil(this.#mostOfWorkspace / 2) }
  }
}
