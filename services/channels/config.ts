/**
 * What the configurations of several kinds share: schema fields, checks of addresses, and access to
 * secrets.
 */
import { type TSchema, Type } from 'typebox'
import type { Channel, ConfigFault } from './channel.ts'

/** For the JSON Schema of a `config`: unknown keys are refused. */
export const closed = { additionalProperties: false } as const

type Marks = { title: string; description?: string; minLength?: number; maxLength?: number; pattern?: string; default?: string }

export const field = (marks: Marks) => Type.String({ minLength: 1, maxLength: 2000, ...marks })

/** `writeOnly` marks in the JSON Schema that the value is never shown. */
export const secretField = (marks: Marks) => Type.String({ minLength: 1, maxLength: 2000, writeOnly: true, ...marks })

/** The mail address of a person at the vendor, used as the user name together with a password. */
export const emailField = (marks: Marks) => field({ maxLength: 254, ...marks })

export const emailFault = (path: string, address: string | undefined): ConfigFault | null =>
  address === undefined || /^[^\s@:<>,;"]{1,64}@[^\s@:<>,;"]+\.[^\s@:<>,;"]+$/.test(address)
    ? null
    : { path, rule: 'format', message: 'must be an e-mail address' }

/** Ports on which something other than a web server answers. */
const CLOSED_PORTS = new Set([
  19, 21, 22, 23, 25, 53, 110, 111, 135, 139, 143, 389, 445, 465, 514, 587, 636, 993, 995, 1433, 1521, 2049, 2181, 3306, 3389, 5432, 5672,
  5900, 6379, 9042, 9092, 11211, 27017
])

/**
 * Checks an address that a workspace chose, and returns its error or null. Whether only `https` is
 * allowed is the operator's choice, which the API checks (services/api/notifications).
 */
export function addressFault(path: string, address: string, rule: ConfigFault['rule'] = 'format'): ConfigFault | null {
  const fault = (message: string): ConfigFault => ({ path, rule, message })
  if (/[\s\p{Cc}]/u.test(address) || !/^https?:\/\//i.test(address) || !URL.canParse(address))
    return fault('must be an address that begins with https://')
  const { username, password, hash, port } = new URL(address)
  if (username !== '' || password !== '') return fault('may not hold a user or password')
  if (hash !== '') return fault('may not hold a #fragment')
  if (port !== '' && CLOSED_PORTS.has(Number(port))) return fault(`must not lead to port ${port}`)
  return null
}

/** Removes the slashes at the end. */
export const base = (address: string): string => address.replace(/\/+$/, '')

/** Shortens an address that is a credential: `https://example.com/…a1b2`. */
export const hiddenAddress = (address: string): string =>
  URL.canParse(address) ? `${new URL(address).origin}/…${address.slice(-4)}` : `…${address.slice(-4)}`

/** `…a1b2`. */
export const hidden = (secret: string): string => `…${secret.slice(-4)}`

type Named = { name: string; value: string }
const isNamed = (value: unknown): value is Named[] => Array.isArray(value)

/**
 * Returns `config` with every secret replaced. `field` says where the secret is, for the
 * seal: its key, or in a list of headers `headers.<name>`.
 */
export function mapSecrets(
  channel: Pick<Channel, 'fields'>,
  config: Readonly<Record<string, unknown>>,
  replace: (value: string, field: string) => unknown
): Record<string, unknown> {
  const changed: Record<string, unknown> = { ...config }
  for (const { name, secret } of channel.fields) {
    const value = changed[name]
    if (!secret || value === undefined || value === null) continue
    changed[name] = isNamed(value)
      ? value.map((one) => ({ ...one, value: replace(one.value, `${name}.${one.name.toLowerCase()}`) }))
      : replace(String(value), name)
  }
  return changed
}

/** Returns the schema of each property of `config`, by key. */
export const propertiesOf = (schema: TSchema): Readonly<Record<string, TSchema>> =>
  'properties' in schema ? (schema.properties as Record<string, TSchema>) : {}
