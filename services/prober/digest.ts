/**
 * Digest access authentication: answers a challenge of WWW-Authenticate. Pure, except for the
 * random client nonce.
 * Source: RFC 7616, RFC 9110 section 11.
 */
import { createHash, getHashes, randomBytes } from 'node:crypto'

export interface DigestAccount {
  username: string
  password: string
}

export interface Challenge {
  /** In lower case. */
  scheme: string
  /** Names in lower case. */
  params: ReadonlyMap<string, string>
}

const SCHEME = /([!#$%&'*+.^_`|~\w-]+)(?=[\s,]|$)/y
const PARAM = /([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))/y
const BETWEEN = /[\s,]*/y
/** What some schemes send in place of parameters. */
const TOKEN68 = /[\w.~+/-]+=*(?=\s*(?:,|$))/y

/** Reads the challenges in order and stops at the first part that is none. Linear in the header. */
export function challengesOf(header: string): Challenge[] {
  const found: { scheme: string; params: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match) at = pattern.lastIndex
    return match
  }
  for (;;) {
    take(BETWEEN)
    if (at >= header.length) return found
    const param = take(PARAM)
    const last = found.at(-1)
    if (param && last) {
      const [, name = '', quoted, plain = ''] = param
      last.params.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain)
      continue
    }
    const scheme = param ? null : take(SCHEME)
    if (scheme) found.push({ scheme: (scheme[1] ?? '').toLowerCase(), params: new Map() })
    else if (!take(TOKEN68)) return found
  }
}

/** The strongest first. */
const algorithms = [
  { name: 'SHA-512-256', hash: 'sha512-256' },
  { name: 'SHA-256', hash: 'sha256' },
  { name: 'MD5', hash: 'md5' }
] as const
const known = new Set(getHashes())

interface Chosen {
  params: Challenge['params']
  hash: string
  isSession: boolean
  qop: 'auth' | 'auth-int' | null
}

function chosen({ scheme, params }: Challenge): (Chosen & { rank: number }) | null {
  if (scheme !== 'digest' || !params.has('nonce')) return null
  const [, word = '', session = ''] = /^(.*?)(-sess)?$/i.exec(params.get('algorithm') ?? 'MD5') ?? []
  const rank = algorithms.findIndex(({ name, hash }) => name === word.toUpperCase() && (known.has(hash) || hash !== 'sha512-256'))
  const offered = params
    .get('qop')
    ?.split(',')
    .map((one) => one.trim().toLowerCase())
  const qop = offered?.includes('auth') ? 'auth' : offered?.includes('auth-int') ? 'auth-int' : null
  const { hash } = algorithms[rank] ?? {}
  if (hash === undefined || (offered !== undefined && qop === null)) return null
  return { params, hash, isSession: session !== '', qop, rank }
}

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

export interface DigestRequest {
  method: string
  /** Path and query, exactly as sent. */
  uri: string
  body: Buffer | null
}

/**
 * Returns the value of the Authorization header; null if there is no Digest challenge that can be
 * answered. `cnonce` replaces a random one.
 */
export function digestAnswer(
  header: string,
  { username, password }: DigestAccount,
  { method, uri, body }: DigestRequest,
  cnonce = randomBytes(16).toString('hex')
): string | null {
  const best = challengesOf(header)
    .flatMap((challenge) => chosen(challenge) ?? [])
    .sort((one, other) => one.rank - other.rank)[0]
  if (!best) return null
  const { params, hash, isSession, qop } = best
  const digest = (text: string | Buffer): string => createHash(hash).update(text).digest('hex')
  const [realm, nonce] = [params.get('realm') ?? '', params.get('nonce') ?? '']
  const nc = '00000001'
  const account = digest(`${username}:${realm}:${password}`)
  const first = isSession ? digest(`${account}:${nonce}:${cnonce}`) : account
  const second = digest(qop === 'auth-int' ? `${method}:${uri}:${digest(body ?? '')}` : `${method}:${uri}`)
  const response = digest(qop === null ? `${first}:${nonce}:${second}` : `${first}:${nonce}:${nc}:${cnonce}:${qop}:${second}`)
  const opaque = params.get('opaque')
  const algorithm = params.get('algorithm')
  return `Digest ${[
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${nc}`]),
    ...(qop === null && !isSession ? [] : [`cnonce="${cnonce}"`])
  ].join(', ')}`
}
