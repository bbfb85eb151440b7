/**
 * Step 3: verifies the sender, and looks up what the parser needs before the body is parsed.
 *
 * Mostly that takes no time. When another service must be asked first (for a certificate, a
 * confirmation, or the alert of an id), the bytes are held and count towards the limits. Every such
 * request has its own deadline of a few seconds.
 */
import { accepted, type Failure } from '../../http/answer.ts'
import type { Payload } from './alert-exchange.ts'
import { reject } from './reject.ts'
import type { Refusal } from './verifier.ts'

export function verify({ exchange, source, integration, bytes, body, received_at }: Payload): Refusal {
  const { verifier } = exchange.parts
  return (
    verifier.refusalAt(source, integration) ??
    verifier.refusal(source, integration, { bytes, body, headers: exchange.headers, received_at })
  )
}

/** Returns whether another service must be asked even when the sender is verified. */
export const asksOthers = ({ exchange, source, body }: Payload): boolean =>
  exchange.door.prepare !== undefined || Boolean(source.control?.(body))

/** The answer to a message that is not an alert. */
const obeyed = accepted('{"status":"accepted","processed":0,"ignored":1,"alerts":[]}')

/** Asks the other services, and calls `next` unless the request was refused or answered. */
export function verifyLater(payload: Payload, refusal: Refusal, next: (payload: Payload) => void): void {
  const { exchange } = payload
  const bytes = exchange.hold(payload.bytes)
  if (bytes === null) return
  payload.bytes = bytes
  ask(payload, refusal).then(
    (told) => {
      if (exchange.over) return
      exchange.release()
      exchange.guarded(() => {
        if (told === null) return next(payload)
        if (told !== 'obeyed') return reject(payload, told)
        exchange.count(payload.integration, 1)
        exchange.answer(obeyed)
      })
    },
    (error: unknown) =>
      exchange.guarded(() => {
        throw error
      })
  )
}

async function ask({ exchange, integration, source, body }: Payload, refusal: Refusal): Promise<Failure | 'obeyed' | null> {
  const failure = (await refusal) ?? (await exchange.door.prepare?.(integration)) ?? null
  if (failure !== null) return failure
  const control = source.control?.(body) ?? null
  return control === null ? null : ((await exchange.parts.verifier.obey(control, integration)) ?? 'obeyed')
}
