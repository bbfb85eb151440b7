/**
 * Sends an answer within the time that a vendor waits, or later to the address that the call names.
 * What was asked is done in both cases.
 * Source: docs/design/outbound-channels.md#s4-1.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpSender } from '../../delivery/http.ts'
import { deploymentOf } from '../../delivery/senders.ts'
import type { Services } from '../services.ts'

/** Vendors wait 3 s; the rest of that time is for the network. */
const AT_ONCE_MS = 1000
/** The most answers that may be waiting to be sent. */
const MAX_PENDING = 200
const TRIES_AFTER_MS = [0, 1000, 4000]
const LIMITS = { connectMs: 5000, totalMs: 10_000 }

const LATE = Symbol('late')

export const TOO_BUSY = 'The service is busy just now. Try again in a minute.'
export const FAILED = 'It was not done: something went wrong on our side. Try again.'

export class Later {
  readonly #pending = new Set<Promise<void>>()
  readonly #http: HttpSender
  readonly #services: Services

  constructor(http: HttpSender, services: Services) {
    this.#http = http
    this.#services = services
  }

  get isFull(): boolean {
    return this.#pending.size >= MAX_PENDING
  }

  /** Returns the words if they are ready at once; undefined: they are sent later, by `send`. */
  async soon(work: Promise<string | null>, send: (words: string) => Promise<void>): Promise<string | null | undefined> {
    const lateness = new AbortController()
    const late = pause(AT_ONCE_MS, LATE, { signal: lateness.signal }).catch(() => LATE)
    const first = await Promise.race([work, late])
    lateness.abort()
    if (typeof first !== 'symbol') return first
    this.keep(work.then((words) => (words === null ? undefined : send(words))))
    return undefined
  }

  /** Remembers the work, so that the service waits for it before it ends. */
  keep(work: Promise<void>): void {
    const { log } = this.#services
    const kept = work.catch((error: unknown) => log.warn({ err: error }, 'a later answer in a chat app was not sent'))
    this.#pending.add(kept)
    void kept.finally(() => this.#pending.delete(kept))
  }

  /** Sends JSON. Tries again on a network error, a 429 or a 5xx. */
  async send(vendor: string, method: 'POST' | 'PATCH', url: string, body: object): Promise<void> {
    const deployment = deploymentOf(this.#services.config)
    const base = deployment.base_urls[vendor]
    const { pathname, search } = new URL(url)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': deployment.user_agent }
    const request = {
      via: 'http',
      method,
      url: base === undefined ? url : `${base}${pathname}${search}`,
      headers,
      body: JSON.stringify(body),
      secrets: [url, pathname],
      guarded: false
    } as const
    let fault: unknown = null
    for (const wait of TRIES_AFTER_MS) {
      await pause(wait)
      try {
        const { status } = await this.#http.send({ ...request, secrets: [...request.secrets] }, LIMITS)
        if (status < 500 && status !== 429) return
        fault = new Error(`${vendor} answered ${status} to a later answer`)
      } catch (error) {
        fault = error
      }
    }
    throw fault
  }

  async close(): Promise<void> {
    await Promise.all(this.#pending)
  }
}
