/**
 * Reads the events that Slack sends about a workspace with the app, as far as this service uses
 * them. Pure.
 * Source: docs/design/outbound-channels.md#s4-2.
 */
import { objectIn, recordIn, textIn } from '../../channels/judging.ts'
import type { CallFault } from './calls.ts'

export type SlackEvent =
  /** Slack checks that the endpoint belongs to this service. */
  | { event: 'challenge'; challenge: string }
  /** The app was removed, or its credential was revoked. `at`: epoch ms. */
  | { event: 'removed'; account: string; at: number }
  | { event: 'other' }

const ID = /^[A-Z0-9]{1,40}$/

/** A revoked credential of a person does not affect the app's credential. */
const takesApp = (event: Record<string, unknown> | null): boolean => {
  if (textIn(event, 'type') === 'app_uninstalled') return true
  const bots = recordIn(event?.tokens)?.bot
  return textIn(event, 'type') === 'tokens_revoked' && Array.isArray(bots) && bots.length > 0
}

export function slackEventIn(body: string): SlackEvent | CallFault {
  const said = objectIn({ status: 200, headers: {}, body })
  if (!said) return { path: '', expected: 'a JSON object' }
  if (said.type === 'url_verification') {
    const challenge = textIn(said, 'challenge')
    if (challenge === null || challenge.length > 500) return { path: 'challenge', expected: 'a text of at most 500 characters' }
    return { event: 'challenge', challenge }
  }
  if (said.type !== 'event_callback' || !takesApp(recordIn(said.event))) return { event: 'other' }
  const account = textIn(said, 'team_id')
  if (account === null || !ID.test(account)) return { path: 'team_id', expected: 'the id of a workspace' }
  const { event_time } = said
  if (typeof event_time !== 'number' || !Number.isInteger(event_time) || event_time < 0 || event_time > 1e11)
    return { path: 'event_time', expected: 'seconds since 1970' }
  // Slack's time has whole seconds: an install within the same second counts as earlier.
  return { event: 'removed', account, at: event_time * 1000 + 999 }
}
