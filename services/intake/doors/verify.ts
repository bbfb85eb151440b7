/**
 * Step 3: whether the sender is who it says, and what must be looked up before the body is parsed.
 *
 * Mostly that takes no time. Where something must be asked of others first (a certificate, a
 * confirmation, which alert an id means) the bytes are held and count, and everything that is asked
 * has an end of its own, of seconds.
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

/** Whether others must be asked even where the sender is verified. */
export const asksOthers = ({ exchange, source, body }: Payload): boolean =>
  exchange.door.prepare !== undefined || Boolean(source.control?.(body))

/** A message that is no alert. */
const obeyed = accepted('{"status":"accepted","processed":0,"ignored":1,"alerts":[]}')

/** Asks, and goes on with `next` where nothing was refused or answered. */
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
