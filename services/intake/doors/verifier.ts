/**
 * Checks whether a delivery proves its sender, and carries out control messages of proven senders.
 * It is the door's side of `verify` and `control` in source.ts.
 *
 * A proof is required when the source always requires one, or when the integration has a setting
 * for it. The proof covers the body as it arrived, and is checked before anything in the body has
 * an effect. At a door with a parser of its own, an integration is refused when its source proves
 * its senders: the token, which appears in URLs, must not be enough there either. An internal
 * failure (a secret that cannot be decrypted, a certificate that cannot be fetched) is 503, which
 * senders retry, never 403.
 *
 * Source: docs/design/inbound-sources.md#s6, #s29-2; docs/design/api/alerts-and-routing.md#ib-10.
 */

import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import type { IntegrationCredential } from '../../credentials/tokens.ts'
import { type Failure, unavailable } from '../../http/answer.ts'
import type { Log } from '../../process/log.ts'
import { disconnectTopic, pinTopic } from '../../store/integrations.ts'
import { type Pool, tenantTransaction } from '../../store/pool.ts'
import { asksProof } from '../proof.ts'
import type { Control, Delivery, Source } from '../source.ts'
import { incoming } from './doors.ts'
import type { Get } from './guarded-get.ts'

/** null: the sender is verified, or no proof is required. */
export type Refusal = Failure | null | Promise<Failure | null>

export interface Verifier {
  /**
   * Checks the proof. Returns a promise when a certificate must be fetched first; it settles within
   * 5 s.
   */
  refusal(source: Source, integration: IntegrationCredential, delivery: Omit<Delivery, 'settings' | 'certificate'>): Refusal
  /**
   * Returns why the integration is refused, whatever it delivers, at a door with a parser of its
   * own.
   */
  refusalAt(source: Source, integration: IntegrationCredential): Failure | null
  /** Carries out the request of a proven delivery; null once it is done. */
  obey(control: Control, integration: IntegrationCredential): Promise<Failure | null>
}

export interface VerifierOptions {
  get: Get
  certificate: Delivery['certificate']
  pool: Pool
  log: Log
  /** Returns the source that an integration chose. Default: looks in the list of all sources. */
  sourceOf?(source_type: string): Source | undefined
}

export const invalid = (error: string): Failure => ({ status: 403, code: 'SIGNATURE_INVALID', error })
const elsewhere = invalid('This integration asks its senders for a proof of its own source: deliver to the address with its token instead')
const notOpened = unavailable('A secret of this integration cannot be opened here: try again', 30)
const noCertificate = unavailable('The certificate of the signature could not be fetched: try again', 5)
const notConfirmed = unavailable('The subscription could not be confirmed: try again', 5)
const notPinned = unavailable('The topic could not be noted down: try again', 5)
const otherTopic = invalid('Another topic is pinned to this integration')

/** The certificate could not be fetched: a failure of the service, not of the sender. */
class NoCertificate extends Error {
  override readonly name = 'NoCertificate'
}

export function createVerifier({ get, certificate, pool, log, sourceOf = incoming.source }: VerifierOptions): Verifier {
  const fetched: Delivery['certificate'] = async (url) => {
    try {
      return await certificate(url)
    } catch (error) {
      throw new NoCertificate('the certificate could not be fetched', { cause: error })
    }
  }

  function refusalAt(source: Source, integration: IntegrationCredential): Failure | null {
    const own = sourceOf(integration.source_type)
    return own && own !== source && asksProof(own, integration.verify) ? elsewhere : null
  }

  return {
    refusalAt,
    refusal(source, integration, delivery) {
      const { verify } = source
      if (!verify || !asksProof(source, integration.verify)) return null
      const settings = integration.verify
      if (settings === null) return notOpened
      const found = verify.check({ ...delivery, settings, certificate: fetched })
      if (!(found instanceof Promise)) return found === null ? null : invalid(found)
      return found.then(
        (sentence) => (sentence === null ? null : invalid(sentence)),
        (error: unknown) => {
          if (!(error instanceof NoCertificate)) throw error
          const { tenant_id, integration_id } = integration
          log.warn({ err: error.cause, tenant_id, integration_id }, 'the certificate of a signature could not be fetched')
          return noCertificate
        }
      )
    },
    async obey(control, integration) {
      const { tenant_id, integration_id } = integration
      const { topic_arn } = control
      const named = { tenant_id, integration_id, topic_arn }
      let pinned: boolean
      try {
        pinned = await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) =>
          control.kind === 'subscribe'
            ? pinTopic(tx, tenant_id, integration_id, topic_arn)
            : disconnectTopic(tx, tenant_id, integration_id, topic_arn)
        )
      } catch (error) {
        log.warn({ err: error, ...named }, 'what a topic asks for could not be noted down')
        return notPinned
      }
      if (!pinned) return otherTopic
      if (control.kind === 'unsubscribed') {
        log.info(named, 'a topic delivers to an integration no more')
        return null
      }
      try {
        const { status } = await get(control.confirm_url)
        if (status < 200 || status > 299) throw new Error(`the confirmation was answered ${status}`)
      } catch (error) {
        log.warn({ err: error, ...named }, 'the subscription of a topic could not be confirmed')
        return notConfirmed
      }
      log.info(named, 'a topic delivers to an integration')
      return null
    }
  }
}
