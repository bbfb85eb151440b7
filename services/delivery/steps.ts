/**
 * Sends the requests of a generator one by one and gives it each reply, until it returns its
 * result. It is for requests to a vendor that are not deliveries.
 */
import type { SendReply, SendRequest } from '../channels/channel.ts'
import { storableDeep } from '../store/storable.ts'
import { type HttpLimits, type HttpSender, usualLimits } from './http.ts'

const MAX_STEPS = 20

/**
 * Rejects with SendFailure when nothing came back. No request or reply is stored, and every store
 * accepts the result, which is plain data.
 */
export async function performSteps<R>(
  http: Pick<HttpSender, 'send'>,
  steps: Generator<SendRequest, R, SendReply>,
  limits: HttpLimits = usualLimits
): Promise<R> {
  let next = steps.next()
  for (let sent = 0; !next.done; sent++) {
    if (sent === MAX_STEPS) throw new Error(`more than ${MAX_STEPS} requests at once`)
    const request = next.value
    if (request.via !== 'http') throw new Error('only HTTP is sent here')
    next = steps.next(await http.send(request, limits))
  }
  return storableDeep(next.value)
}
