/**
 * Secrets of people and machines: how they are made, and what is stored of them.
 *
 * A token is shown once; only its SHA-256 and its first characters are stored. 256 random bits need
 * no slow hash. A password does: argon2id, m=19 MiB t=2 p=1, at most two at once, so that a flood
 * of log-ins leaves CPU for other requests.
 * Source: docs/design/api.md#s1-4, docs/design/performance.md#s6.
 */
import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { createTurns } from '../http/turns.ts'
import { TOKEN_BYTES, type TokenKind, tokenKinds } from './token-forms.ts'

export interface Minted {
  /** The secret itself: only for the reply that shows it. */
  value: string
  sha256: Buffer
  /** The first characters, by which people recognise it. */
  prefix: string
}

/** The SHA-256 of a token as it was presented. */
export const sha256 = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest()

const minted = (value: string, shown: number): Minted => ({ value, sha256: sha256(value), prefix: value.slice(0, shown) })

const SHOWN = 6

/** Makes a token in the form that token-forms.ts defines for its kind. */
function mintToken(kind: TokenKind): Minted {
  const start = `${kind}_`
  return minted(`${start}${randomBytes(TOKEN_BYTES).toString(tokenKinds[kind])}`, start.length + SHOWN)
}

/** Workspace API token: `service_` and 64 hex characters. */
export const mintApiToken = (): Minted => mintToken('service')

/** Token of an inbound integration: `svc_` and 43 base64url characters. */
export const mintIntegrationToken = (): Minted => mintToken('svc')

/** Token of the probers of a private location: `prober_` and 64 hex characters. */
export const mintProberToken = (): Minted => mintToken('prober')

/** Token of an invite: `inv_` and 64 hex characters. */
export const mintInvite = (): Minted => mintToken('inv')

/** The secret in the address of a calendar feed. */
export const mintCalendarSecret = (): Minted => mintToken('cal')
/** Token of a link that confirms an e-mail channel. */
export const mintConfirmation = (): Minted => mintToken('cnf')
/** Token of a link that connects a sender in a chat app with a member. */
export const mintChatLink = (): Minted => mintToken('cht')
/** The state that an install at a chat service must bring back. */
export const mintInstallState = (): Minted => mintToken('ins')

/** Token that ends a deployment window, once. */
export const mintEndToken = (): Minted => mintToken('mwe')
/** Code in a link that a member opens in a chat app: 43 characters; Telegram accepts 64. */
export const mintPairing = (): Minted => minted(randomBytes(TOKEN_BYTES).toString('base64url'), SHOWN)

/** Value of the session cookie. */
export const mintSession = (): Minted => minted(randomBytes(TOKEN_BYTES).toString('base64url'), SHOWN)

/** A random password for the first account: 24 characters. */
export const mintPassword = (): string => randomBytes(18).toString('base64url')

// The library's default algorithm is argon2id.
const argon = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Too many passwords are being checked, and this one was not tried. Answer 503 + Retry-After. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

const inTurn = createTurns({ atOnce: 2, waiting: 32, crowded: () => new Busy('Too many passwords are being checked') })

/** Returns the PHC string of a password. Rejects with Busy when too many wait. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, argon))

/**
 * The hash of a password that nobody knows. It stands in for an account that does not exist, so
 * that the refusal takes as long.
 */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$aTlZ3Gj92DX4ITVKXNvMbQ$xo12DbHxGwFVLcgqUnwzdIGd3Ypc4mpKzVdqJXYtRT8'

/** Without a hash it does the same work and returns false. Rejects with Busy when too many wait. */
export async function verifyPassword(phc: string | null, password: string): Promise<boolean> {
  const right = await inTurn(() => verify(phc ?? NOBODY, password))
  return phc !== null && right
}
