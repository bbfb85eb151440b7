/**
 * Callbacks of Twilio: answers by text message, pressed keys, and what became of messages and
 * calls. A call that is unsigned, or was accepted before, is answered 403, and nothing is done.
 * Source: docs/design/api/notifications.md#ch-6 to #ch-9, docs/design/outbound-channels.md#s4-4.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Id } from '../../../schemas/http/common.ts'
import { VOICE_MENU } from '../../channels/kinds/voice.ts'
import { callOutcome, type LaterOutcome, smsOutcome } from '../../channels/twilio-status.ts'
import { Bucket } from '../../http/rate-buckets.ts'
import { BoundedMap } from '../../process/bounded-map.ts'
import { type CalledBack, isOf, lockCalledBack, mayBePressed, saveCalledBack, takeCallback } from '../../store/callbacks.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'
import { actByWords, type WordAction } from './act.ts'
import { type FormBody, formOf, installSignedForms, MAX_FORM_BYTES, notTaken } from './signed.ts'
import { answerTo } from './sms-answer.ts'
import { answered, askedAgain, said } from './twiml.ts'

const Params = Type.Object({ delivery_id: Id })
const Query = Type.Object({ workspace: Id }, { additionalProperties: false })
const VoiceQuery = Type.Object({ workspace: Id, again: Type.Optional(Type.Literal('1')) }, { additionalProperties: false })
const twiml = { content: { 'text/xml': { schema: Type.String() } } } as const

const KEYS: Readonly<Record<string, WordAction>> = {
  '1': { do: 'acknowledge' },
  '2': { do: 'resolve' },
  '3': { do: 'silence', minutes: 30 }
}

/**
 * Limit of answers to one number. If there are more in so short a time, a machine replies to our
 * answers.
 */
const ANSWERS = 10
const ANSWERS_SECONDS = 600
const MAX_NUMBERS = 10_000

/** How long to wait for the outcome of a delivery to be written after Twilio knows the message. */
const LOOKS = 15
const BETWEEN_MS = 200

interface About {
  tenant_id: string
  delivery_id: string
}

const aboutOf = (params: { delivery_id: string }, query: { workspace: string }): About => ({
  tenant_id: query.workspace.toLowerCase(),
  delivery_id: params.delivery_id.toLowerCase()
})

/**
 * Runs `work` on the delivery that the call is about. Twilio's call may come before the service has
 * recorded its own attempt, and with it the id of the message; then this waits for the record.
 * Throws SIGNATURE_INVALID for a call that `isAbout` says is about another message, or that was
 * accepted before.
 */
async function withDelivery<T>(
  { pool }: Services,
  { tenant_id, delivery_id }: About,
  isAbout: (row: CalledBack) => boolean,
  work: Work<T>
): Promise<T> {
  for (let looks = 1; ; looks++) {
    const done = await keyedTransaction(pool, { tenant_id, seen_by: null }, async (tx) => {
      const row = await lockCalledBack(tx, tenant_id, delivery_id)
      if (!row) throw notTaken()
      if (row.state === 'sending' && looks < LOOKS) return null
      if (!isAbout(row)) throw notTaken()
      return { value: await work(tx, row) }
    })
    if (done) return done.value
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
}
type Work<T> = (tx: Parameters<typeof lockCalledBack>[0], row: CalledBack) => Promise<T>

export const callbackRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    installSignedForms(app, services)
    const { codec } = services
    const numbers = new BoundedMap<string, Bucket>(MAX_NUMBERS)

    function mayAnswer(number: string): boolean {
      const now = performance.now()
      const bucket = numbers.get(number) ?? new Bucket(ANSWERS / ANSWERS_SECONDS, ANSWERS, now)
      numbers.set(number, bucket)
      return bucket.take(now)
    }

    const status = (
      about: About,
      form: FormBody,
      sid: string,
      word: string,
      judge: (row: CalledBack) => LaterOutcome | null
    ): Promise<void> =>
      withDelivery(
        services,
        about,
        (row) => isOf(row, sid),
        async (tx, row) => {
          if (!(await takeCallback(tx, `status:${sid}:${word}:${form.get('ErrorCode')}`.slice(0, 200)))) throw notTaken()
          const outcome = judge(row)
          if (outcome) await saveCalledBack(tx, codec, row, outcome, `twilio:${sid}`.slice(0, 100))
        }
      )

    app.route({
      ...on('twilioSms', { response: { 200: twiml } }),
      bodyLimit: MAX_FORM_BYTES,
      handler: async (request, reply) => {
        const form = formOf(request)
        const from = form.get('From')
        const sid = form.get('MessageSid')
        if (sid === '') throw notTaken()
        const words = await answerTo(services, { from, body: form.get('Body'), sid, request_id: request.id })
        return reply.type('text/xml; charset=utf-8').send(answered(words !== null && mayAnswer(from) ? words : null))
      }
    })

    app.route({
      ...on('twilioSmsStatus', { params: Params, querystring: Query, response: { 204: Type.Null() } }),
      bodyLimit: MAX_FORM_BYTES,
      handler: async (request, reply) => {
        const form = formOf(request)
        const word = form.get('MessageStatus')
        await status(aboutOf(request.params, request.query), form, form.get('MessageSid'), word, ({ attempts }) =>
          smsOutcome(word, form.get('ErrorCode'), attempts)
        )
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('twilioVoice', { params: Params, querystring: VoiceQuery, response: { 200: twiml } }),
      bodyLimit: MAX_FORM_BYTES,
      handler: async (request, reply) => {
        const form = formOf(request)
        const about = aboutOf(request.params, request.query)
        const words = await pressed(services, about, form, request, request.query.again === '1')
        return reply.type('text/xml; charset=utf-8').send(words)
      }
    })

    app.route({
      ...on('twilioVoiceStatus', { params: Params, querystring: Query, response: { 204: Type.Null() } }),
      bodyLimit: MAX_FORM_BYTES,
      handler: async (request, reply) => {
        const form = formOf(request)
        const word = form.get('CallStatus')
        await status(aboutOf(request.params, request.query), form, form.get('CallSid'), word, ({ attempts }) => callOutcome(word, attempts))
        return reply.code(204).send(null)
      }
    })
  }

/** Handles a pressed key and returns the answer in TwiML. */
async function pressed(services: Services, about: About, form: FormBody, request: FastifyRequest, isAgain: boolean): Promise<string> {
  const { tenant_id, delivery_id } = about
  const sid = form.get('CallSid')
  const digits = form.get('Digits')
  const receipt = `voice:${sid}:${isAgain ? 'again:' : ''}${digits}`.slice(0, 200)
  const action = KEYS[digits]
  const page = await withDelivery(
    services,
    about,
    (row) => mayBePressed(row, sid),
    async (tx, { user_id, incident_id }) => {
      if (action !== undefined && user_id !== null && incident_id !== null) return { user_id, incident_id }
      if (!(await takeCallback(tx, receipt))) throw notTaken()
      return null
    }
  )
  if (page === null || action === undefined) {
    const address = `${services.config.publicUrl}/api/v1/callbacks/twilio/voice/${delivery_id}?workspace=${tenant_id}&again=1`
    return isAgain ? said('Goodbye.') : askedAgain(VOICE_MENU, address)
  }
  const { user_id, incident_id } = page
  const words = await actByWords(services, { tenant_id, user_id, via: 'voice', receipt, request_id: request.id }, incident_id, action)
  return said(`${words} Goodbye.`)
}
