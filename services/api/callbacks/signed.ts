/**
 * Callbacks of Twilio, which are forms. Nothing in a form is trusted before its signature is
 * verified. A call without a valid signature is answered 403, the same whatever is wrong, and
 * counts against the limit of its address.
 * Source: docs/design/outbound-channels.md#s4-1 and #s4-4.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Form, verifyTwilio } from '../../channels/twilio-signature.ts'
import { ApiError } from '../http/errors.ts'
import { strangerOf } from '../plugins/admission.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'

export const MAX_FORM_BYTES = 32_768
const MAX_FIELDS = 200

export class FormBody {
  constructor(readonly fields: Form) {}

  /** Empty without one. */
  get(name: string): string {
    return this.fields.find(([field]) => field === name)?.[1] ?? ''
  }
}

const refused = (): ApiError => new ApiError('SIGNATURE_INVALID', 'The signature is wrong, or this request was already accepted')

const isSigned = ({ twilioAuthTokens, twilioAccountSid, publicUrl }: Services['config'], request: FastifyRequest): boolean => {
  const signature = request.headers['x-twilio-signature']
  const { body } = request
  return (
    body instanceof FormBody &&
    body.fields.length <= MAX_FIELDS &&
    typeof signature === 'string' &&
    verifyTwilio(twilioAuthTokens, signature, `${publicUrl}${request.url}`, body.fields) &&
    body.get('AccountSid') === twilioAccountSid
  )
}

/**
 * Makes the routes of `app` accept forms as well as JSON. A form whose signature does not fit is
 * refused before anything else of it is looked at.
 */
export function installSignedForms(app: FastifyInstance, { config, buckets }: Services): void {
  app.addContentTypeParser<string>('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, new FormBody([...new URLSearchParams(body)].slice(0, MAX_FIELDS + 1)))
  })
  app.addHook('preValidation', async (request, reply) => {
    if (isSigned(config, request)) return
    admit(reply, buckets.take('public', strangerOf(request), 'free'))
    throw refused()
  })
}

export function formOf({ body }: FastifyRequest): FormBody {
  if (!(body instanceof FormBody)) throw new Error('This route takes signed forms: it was registered without installSignedForms')
  return body
}

/** The error for a call that was accepted before, or is about something else. */
export const notTaken = refused
