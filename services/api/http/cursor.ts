/**
 * Cursors of lists that only grow. A cursor is opaque text that says after which row the next page
 * begins, and in which span. It belongs to the list and the filters that it was made for, and is
 * valid for a day; any other is 400. It holds nothing secret and is not signed. A forged cursor
 * shows no more than the same list, because workspace, object and filters come from the request.
 * Source: docs/design/api.md#s1-2.
 */
import { sha256 } from '../../credentials/credentials.ts'
import { ApiError } from './errors.ts'

const LIVES_MS = 86_400_000

export interface Position {
  /** Epoch ms. */
  from: number
  to: number
  /** Keys of the last row shown: its instant, then whole numbers and texts. */
  keys: (number | string)[]
}

const malformed = (): ApiError =>
  new ApiError('BAD_REQUEST', 'cursor: does not belong to this list or is older than a day. Start again without a cursor')

/** `list` names what the cursor is valid for: the list, its object and its filters. */
const markOf = (list: readonly unknown[]): string => sha256(JSON.stringify(list)).toString('base64url').slice(0, 16)

export function cursorOf(list: readonly unknown[], { from, to, keys }: Position, now: number): string {
  return Buffer.from(JSON.stringify([markOf(list), now, from, to, ...keys])).toString('base64url')
}

/**
 * Reads a cursor. `shape` is the type of each key. Throws BAD_REQUEST for text that is no cursor of
 * this list.
 */
export function positionOf(text: string, list: readonly unknown[], shape: readonly ('number' | 'string')[], now: number): Position {
  const [mark, made_at, from, to, ...keys] = partsOf(text)
  const sound =
    mark === markOf(list) &&
    isWhole(made_at) &&
    isInstant(from) &&
    isInstant(to) &&
    made_at <= now + LIVES_MS &&
    made_at > now - LIVES_MS &&
    keys.length === shape.length &&
    keys.every((key, at) => (shape[at] === 'number' ? isWhole(key) : typeof key === 'string' && key.length <= 64)) &&
    isInstant(keys[0])
  if (!sound) throw malformed()
  return { from, to, keys: keys as (number | string)[] }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
/** Every part of the service accepts instants before this one. */
const LAST_INSTANT = Date.UTC(2100, 0)
const isInstant = (value: unknown): value is number => isWhole(value) && value < LAST_INSTANT

function partsOf(text: string): unknown[] {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw malformed()
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (Array.isArray(parts)) return parts
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw malformed()
}
