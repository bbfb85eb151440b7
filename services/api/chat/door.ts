/**
 * What the endpoints of chat apps share: bodies that nobody reads before their signature is
 * verified, the rate limit of a sender, and answers that are sent later.
 * Source: docs/design/outbound-channels.md#s4-1.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { sendersOf } from '../../delivery/senders.ts'
import { ApiError } from '../http/errors.ts'
import { strangerOf } from '../plugins/admission.ts'
import { depthOf } from '../plugins/body.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { type Asked, answerInChat } from './answer.ts'
import type { ChatCall } from './calls.ts'
import { FAILED, Later, TOO_BUSY } from './later.ts'

/** The call of a pressed button contains the whole message of the button. */
export const MAX_CALL_BYTES = 131_072
const MAX_DEPTH = 32

export const refused = Type.Null({ description: 'The signature or secret of the call is not valid.' })

export const headerOf = (request: FastifyRequest, name: string): string => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

export function bytesOf({ body }: FastifyRequest): Buffer {
  if (!Buffer.isBuffer(body)) throw new Error('a call of a chat app is read as bytes')
  return body
}

/** Parses the body of a call. Throws MALFORMED_JSON. */
export function jsonOf(request: FastifyRequest): unknown {
  const text = bytesOf(request).toString('utf8')
  try {
    if (depthOf(text) <= MAX_DEPTH) return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new ApiError('MALFORMED_JSON', 'The body is not JSON, or is nested too deep')
}

/**
 * Reads every body as bytes, whatever its content type. Where `isSigned` returns false, answers 401
 * without a body and counts the call against the limit of its address.
 */
export function installSigned(
  app: FastifyInstance,
  { buckets }: Services,
  isSigned: (body: Buffer, request: FastifyRequest) => boolean
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('preValidation', async (request, reply) => {
    if (Buffer.isBuffer(request.body) && isSigned(request.body, request)) return
    return turnAway(buckets, request, reply)
  })
}

/** Answers 401 without a body and counts the call against the limit of its address. */
export function turnAway(buckets: Services['buckets'], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  admit(reply, buckets.take('public', strangerOf(request), 'free'))
  return reply.code(401).send()
}

/** Settings of an endpoint that belongs to one workspace. */
export type Within = Pick<Asked, 'tenant_id' | 'strangers'>
const EVERYWHERE: Within = { tenant_id: null, strangers: null }

export interface Door {
  later: Later
  /**
   * Does what the call asks and returns the words of the answer; null: the call was accepted
   * before. `unique` identifies the call where it has no id of its own.
   */
  answerTo(call: ChatCall, request: FastifyRequest, unique: string, within?: Within): Promise<string | null>
}

export function createDoor(app: FastifyInstance, services: Services): Door {
  const { config, pool, buckets, log } = services
  const senders = sendersOf(config, pool)
  const later = new Later(senders.http, services)
  app.addHook('onClose', async () => {
    await later.close()
    senders.close()
  })
  return {
    later,
    async answerTo({ who, command, name, call_id }, request, unique, within = EVERYWHERE) {
      const { admitted, reset_seconds } = buckets.take('chat', `${who.vendor} ${who.account} ${who.sender}`, 'free')
      if (!admitted) return `Too many commands at once: try again in ${reset_seconds} s.`
      if (later.isFull) return TOO_BUSY
      const receipt = `${who.vendor}:${call_id ?? unique}`.slice(0, 200)
      try {
        return await answerInChat(services, { who, command, name, receipt, request_id: request.id, ...within })
      } catch (error) {
        log.error({ err: error, request_id: request.id, vendor: who.vendor }, 'a call of a chat app failed')
        return FAILED
      }
    }
  }
}
