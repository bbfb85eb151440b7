/**
 * Decides from words in a ping's body what the ping means, when the ping itself says only that it
 * arrived. Pure.
 *
 *   a word of `failure` stands in it      fail
 *   else a word of `success`              success
 *   else a word of `start`                start
 *   else, where `success` has words       log: nothing says that it went well
 *   else                                  success
 *
 * Upper and lower case are the same. A body that is not text has no words.
 *
 * Source: docs/design/api/heartbeats.md#body-rules.
 */
import { isUtf8 } from 'node:buffer'
import type { BodyRules } from '../../../schemas/http/heartbeats.ts'

export const hasRules = ({ success = [], failure = [], start = [] }: BodyRules): boolean =>
  success.length + failure.length + start.length > 0

/** `body` is whole. */
export function kindByBody({ success = [], failure = [], start = [] }: BodyRules, body: Buffer): 'success' | 'fail' | 'start' | 'log' {
  const text = isUtf8(body) ? body.toString('utf8').toLowerCase() : ''
  const has = (words: readonly string[]): boolean => words.some((word) => text.includes(word.toLowerCase()))
  if (has(failure)) return 'fail'
  if (has(success)) return 'success'
  if (has(start)) return 'start'
  return success.length > 0 ? 'log' : 'success'
}
