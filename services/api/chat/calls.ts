/**
 * A call of a chat app after it was read, in one form for all vendors. Pure.
 * Source: docs/design/outbound-channels.md#s4-1.
 */
import type { NamedSender } from '../../store/chat.ts'
import { invalid } from '../http/errors.ts'
import type { ChatCommand } from './commands.ts'

export interface ChatCall {
  who: NamedSender
  /** Stays the same when the vendor repeats the call; null: the call has no id. */
  call_id: string | null
  /** Where later answers go; null: nowhere. */
  reply_url: string | null
  command: ChatCommand
  /** Name of the command that carries the words; empty where there is none. */
  name: string
}

/** The first field that is missing or has an unexpected value. */
export interface CallFault {
  path: string
  expected: string
}

export const isFault = (read: object): read is CallFault => 'expected' in read

/** Returns the call that was read. Throws VALIDATION_FAILED, naming the path, for a fault. */
export function checked<Read extends object>(read: Read | CallFault | null): Read | null {
  if (read !== null && isFault(read)) throw invalid(read.path, 'format', `must be ${read.expected}`)
  return read
}
