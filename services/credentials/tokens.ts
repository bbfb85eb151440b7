/**
 * Checks credentials for intake, api and gateway. A credential is looked up in Postgres by its
 * SHA-256, cached in memory, and dropped from the cache when it changes. How long each answer is
 * used, and what applies while Postgres is unavailable: services/store/kept-lookups.ts. A
 * revocation takes effect in every process within 5 s. Tokens are compared by a look-up of their
 * hash, and neither tokens nor hashes are logged.
 * Source: docs/design/architecture.md#s7, #s9 and #s11; docs/design/api.md#s1-4.
 */
import { hash } from 'node:crypto'
import type { Severity } from '../../schemas/generated/events.ts'
import { type Check, createLookups, type LookupLimits, type Table } from '../store/kept-lookups.ts'
import {
  type ApiTokenRow,
  findApiToken,
  findIntegration,
  findProber,
  findSession,
  type IntegrationRow,
  type ProberRow,
  type SessionRow
} from '../store/lookups.ts'
import type { Pool, Tx } from '../store/pool.ts'
import { isSealed, openForTenant, Unsealable } from './sealing.ts'

export { type Check, Unavailable } from '../store/kept-lookups.ts'
export type CredentialLimits = LookupLimits

/** The SHA-256 of the credential in hex, as `onRevoked` names it. */
interface Presented {
  readonly sha256: string
}

export interface IntegrationCredential extends Presented, Omit<IntegrationRow, 'severity_map' | 'labels_add' | 'verify'> {
  /** The sender's word in lower case → the service's severity. */
  readonly severity_map: ReadonlyMap<string, Severity>
  readonly labels_add: ReadonlyMap<string, string>
  /**
   * The integration's settings for proving its sender, with opened secrets. Empty when it sets
   * none. Null: a secret does not open here, so nothing can be proven.
   */
  readonly verify: Readonly<Record<string, unknown>> | null
}
export type ApiTokenCredential = Presented & ApiTokenRow
export type SessionCredential = Presented & SessionRow
export type ProberCredential = Presented & ProberRow

/** Each check returns null when there is no such credential or it has expired. */
export interface Credentials {
  /**
   * `svc_…`: the current token, or one rotated within its grace period. Disabled integrations are
   * found too, with enabled=false.
   */
  integration(token: string): Check<IntegrationCredential>
  /** `service_…`. The caller must apply `allowed_cidrs`, because only it knows the address. */
  apiToken(token: string): Check<ApiTokenCredential>
  /** The value of the cookie service_session. */
  session(cookie: string): Check<SessionCredential>
  /** `prober_…`. */
  prober(token: string): Check<ProberCredential>
  /**
   * The same checks for what is held open for a credential. They reject with Unavailable where a
   * change may have been missed and Postgres does not answer: a value from before would keep open
   * what a missed revocation should have closed, and nothing would check it again.
   */
  current: Pick<Credentials, 'apiToken' | 'session'>
  /** Whether the credential is not in memory, so that a check must ask Postgres. */
  isNew(kind: 'apiToken' | 'session' | 'prober', presented: string): boolean
  /**
   * Registers a callback. It gets the hash of a credential that was revoked, rotated or changed, or
   * null when such news may have been missed: everything held open for a credential must then be
   * checked again. Returns a function that removes the callback.
   */
  onRevoked(callback: (sha256: string | null) => void): () => void
  /** True while the process listens for changes. */
  listening(): boolean
  close(): void
}

export interface CredentialsOptions {
  /** A pool of the role service_tenant. One of its connections is reserved for LISTEN. */
  pool: Pool
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  /**
   * Opens the secrets of integrations (services/credentials/sealing.ts). Not needed by callers that
   * look up no integrations.
   */
  secretsKey?: string
  limits?: Partial<CredentialLimits>
  /** The clock by which credentials expire, epoch ms. */
  now?: () => number
}

/** A longer text cannot be a credential of this service, and is not even hashed. */
const MAX_CHARACTERS = 256

export function createCredentials({ pool, log, secretsKey = '', limits = {}, now = Date.now }: CredentialsOptions): Credentials {
  const drops: ((key: string) => void)[] = []
  const lookups = createLookups({
    pool,
    log,
    what: 'credentials',
    channel: 'credential_changed',
    onChange(key) {
      for (const drop of drops) drop(key)
    },
    limits
  })

  interface Kind<T> {
    check(presented: string): Check<T>
    checkCurrent(presented: string): Check<T>
    isNew(presented: string): boolean
  }

  function kind<Row, T extends Presented & { expires_at: number | null }>(
    find: (tx: Tx, sha256: Buffer) => Promise<Row | null>,
    credentialOf: (row: Row, sha256: string) => T
  ): Kind<T> {
    const table: Table<T> = lookups.table({
      async find(tx, keys): Promise<ReadonlyMap<string, Row>> {
        const found = new Map<string, Row>()
        for (const key of keys) {
          const row = await find(tx, Buffer.from(key, 'hex'))
          if (row !== null) found.set(key, row)
        }
        return found
      },
      rowTo: credentialOf
    })
    drops.push((key) => table.drop(key))
    const unlessExpired = (value: T | null): T | null =>
      value !== null && value.expires_at !== null && value.expires_at <= now() ? null : value
    const isOdd = (presented: string): boolean => presented.length === 0 || presented.length > MAX_CHARACTERS
    const checkBy =
      (look: (key: string) => Check<T>) =>
      (presented: string): Check<T> => {
        if (isOdd(presented)) return null
        const found = look(hash('sha256', presented, 'hex'))
        return found instanceof Promise ? found.then(unlessExpired) : unlessExpired(found)
      }
    return {
      check: checkBy((key) => table.get(key)),
      checkCurrent: checkBy((key) => table.getCurrent(key)),
      isNew: (presented) => !isOdd(presented) && table.isNew(hash('sha256', presented, 'hex'))
    }
  }

  const integration = kind(findIntegration, (row, sha256) => toIntegration(row, sha256, openedSettings(row, secretsKey, log)))
  const kinds = {
    apiToken: kind(findApiToken, (row, sha256) => ({ ...row, sha256 })),
    session: kind(findSession, (row, sha256) => ({ ...row, sha256 })),
    prober: kind(findProber, (row, sha256) => ({ ...row, expires_at: null, sha256 }))
  }

  return {
    integration: integration.check,
    apiToken: kinds.apiToken.check,
    session: kinds.session.check,
    prober: kinds.prober.check,
    current: { apiToken: kinds.apiToken.checkCurrent, session: kinds.session.checkCurrent },
    isNew: (name, presented) => kinds[name].isNew(presented),
    onRevoked: lookups.onNews,
    listening: lookups.listening,
    close: lookups.close
  }
}

const isSeverity = (word: unknown): word is Severity => word === 'critical' || word === 'warning' || word === 'info'

/**
 * Returns the settings of a proof with opened secrets, or null when one does not open. A setting
 * that is not secret never looks sealed: the api makes sure of that.
 */
export function openedSettings(
  { tenant_id, integration_id, verify }: Pick<IntegrationRow, 'tenant_id' | 'integration_id' | 'verify'>,
  secretsKey: string,
  log: CredentialsOptions['log']
): IntegrationCredential['verify'] {
  const settings: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(verify)) {
    if (typeof value !== 'string' || !isSealed(value)) {
      settings[name] = value
      continue
    }
    try {
      if (secretsKey === '') throw new Unsealable('There is no key of secrets here')
      settings[name] = openForTenant(secretsKey, { tenant_id, resource: `integration:${integration_id}`, field: `verify.${name}` }, value)
    } catch (error) {
      if (!(error instanceof Unsealable)) throw error
      log.warn({ tenant_id, integration_id, setting: name }, 'a secret of this integration does not open: what needs proof is refused')
      return null
    }
  }
  return settings
}

/** Maps the sender's words, in lower case, to the service's severities. */
export function toSeverities(severity_map: Readonly<Record<string, unknown>>): ReadonlyMap<string, Severity> {
  const severities = new Map<string, Severity>()
  for (const [word, severity] of Object.entries(severity_map)) if (isSeverity(severity)) severities.set(word.toLowerCase(), severity)
  return severities
}

export function toLabels(labels_add: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  for (const [name, value] of Object.entries(labels_add)) labels.set(name, String(value))
  return labels
}

function toIntegration(row: IntegrationRow, sha256: string, verify: IntegrationCredential['verify']): IntegrationCredential {
  return { ...row, sha256, severity_map: toSeverities(row.severity_map), labels_add: toLabels(row.labels_add), verify }
}
