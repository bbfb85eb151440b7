/**
 * A call of a chat app as it was read, whatever the vendor. Pure.
 * Source: docs/design/outbound-channels.md#s4-1.
 */
import type { NamedSender } from '../../store/chat.ts'
import { invalid } from '../http/errors.ts'
import type { ChatCommand } from './commands.ts'

export interface ChatCall {
  who: NamedSender
  /** Stays the same where the vendor calls again; null: it names nothing. */
  call_id: string | null
  /** Where later answers go; null: nowhere. */
  reply_url: string | null
  command: ChatCommand
  /** Of the command that carries the words; empty where there is none. */
  name: string
}

/** The first field that is missing or strange. */
export interface CallFault {
  path: string
  expected: string
}

export const isFault = (read: object): read is CallFault => 'expected' in read

/** Throws VALIDATION_FAILED, which names the path. */
export function checked<Read extends object>(read: Read | CallFault | null): Read | null {
  if (read !== null && isFault(read)) throw invalid(read.path, 'format', `must be ${read.expected}`)
  return read
}
