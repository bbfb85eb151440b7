/**
 * Runs a pasted body through the steps of the door: decoded, proven, parsed, normalised. Nothing is
 * produced, counted or kept. A proof that fails is reported and does not stop the rest. Only the
 * door fetches a certificate, so a proof that needs one stays undecided here.
 * Source: docs/design/api/alerts-and-routing.md#ib-8.
 */
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import type { ParsedAlert, Proof } from '../../../schemas/http/integrations.ts'
import { decode, Malformed } from '../../intake/body.ts'
import { type Receipt, toInboundAlert } from '../../intake/normalise.ts'
import { asksProof } from '../../intake/proof.ts'
import { type Json, MAX_ALERTS, type SequencedEvent, type Source, Unparseable } from '../../intake/source.ts'
import { ApiError } from '../http/errors.ts'

/** The most alerts shown; the rest is only counted. */
const MAX_SHOWN = 200

export interface Sample {
  bytes: Buffer
  /** Names in any case. */
  headers: Readonly<Record<string, string>>
  source: Source
  integration: Receipt['integration']
  options: Json
  /** Settings of the proof with decrypted secrets; null: a secret cannot be decrypted. */
  verify: Json | null
  received_at: number
}

export interface ParsedSample {
  alerts: ParsedAlert[]
  total: number
  warnings: string[]
  proof: Proof
}

class CertificateWanted extends Error {
  override readonly name = 'CertificateWanted'
}

async function proofOf({ bytes, headers, source, verify, received_at }: Sample, body: Json | readonly unknown[]): Promise<Proof> {
  const asked = asksProof(source, verify)
  if (!source.verify || !asked) return { asked: false, proven: null, reason: null }
  if (verify === null)
    return { asked, proven: null, reason: 'A secret of this integration does not open: deliveries are answered with 503' }
  const certificate = (): Promise<string> => Promise.reject(new CertificateWanted())
  try {
    const reason = await source.verify.check({ bytes, body, headers, received_at, settings: verify, certificate })
    return { asked, proven: reason === null, reason }
  } catch (error) {
    if (error instanceof CertificateWanted)
      return { asked, proven: null, reason: 'The certificate of the sender is fetched at the door only' }
    throw error
  }
}

/** Throws UNPARSEABLE_PAYLOAD with the faults for which the door would refuse the body. */
export async function parseSample(sample: Sample): Promise<ParsedSample> {
  const { bytes, source, integration, options, received_at } = sample
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(sample.headers))
    if (source.headers?.includes(name.toLowerCase())) headers[name.toLowerCase()] = value
  const warnings: string[] = []
  try {
    const { body, escaped, mended } = decode(bytes)
    if (mended)
      warnings.push(
        'The body is no valid JSON: control characters or backslashes in its strings are not escaped. It is read as if they were'
      )
    const proof = await proofOf({ ...sample, headers }, body)
    const control = source.control?.(body) ?? null
    if (control) {
      warnings.push(`This is no alert: a delivery of the kind "${control.kind}" is acted on at the door, once it is proven`)
      return { alerts: [], total: 0, warnings, proof }
    }
    const warn = (what: string, count: number): void => void warnings.push(`${what}: ${count}`)
    const events = source.parse({ body, headers, received_at, options, warn })
    if (events.length > MAX_ALERTS) {
      const message = `at most ${MAX_ALERTS} alerts a payload`
      throw new Unparseable({ path: '', rule: 'max', message, limit: MAX_ALERTS, actual: events.length })
    }
    if (events.length > MAX_SHOWN) warnings.push(`The first ${MAX_SHOWN} alerts are shown`)
    const receipt = { integration, source, received_at, escaped }
    return {
      alerts: events.slice(0, MAX_SHOWN).map((event) => toAlert(event, toInboundAlert(event, receipt))),
      total: events.length,
      warnings,
      proof
    }
  } catch (error) {
    if (error instanceof Unparseable) throw refusal(error.message, error.details)
    if (error instanceof Malformed) throw refusal(error.message, [{ path: '', rule: 'malformed', message: error.message }])
    throw error
  }
}

const refusal = (message: string, details: readonly { path: string; rule: string; message: string }[]): ApiError =>
  new ApiError('UNPARSEABLE_PAYLOAD', `The door refuses this: ${message}`, { details: [...details] })

const toAlert = ({ action, reason }: SequencedEvent, alert: InboundAlert): ParsedAlert => ({
  action,
  reason,
  dedup_key: alert.dedup_key,
  source_dedup_key: alert.source_dedup_key,
  title: alert.title,
  description: alert.description,
  severity: alert.severity,
  source_severity: alert.source_severity,
  occurred_at: new Date(alert.occurred_at).toISOString(),
  labels: { ...alert.labels },
  links: alert.links
})
