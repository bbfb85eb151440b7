/**
 * What a phone shows, in words and limits that both vendors take: 4096 bytes for all of it.
 * Source: docs/design/outbound-channels.md#s6.
 */
import type { Message, SendContext, SendOutcome, SendReply } from './channel.ts'
import { deadChannel, why } from './judging.ts'
import { truncate } from './text.ts'
import { bodyOf, factsOf, label, linkOf, severityOf, subjectLine } from './words.ts'

export type Device = {
  platform: 'ios' | 'android'
  push_token: string
  /** Epoch ms: when the app was last there with this token. */
  registered_at: number
}

const MAX_TITLE_BYTES = 240
const MAX_BODY_BYTES = 800
/** A page that nobody could be shown within the hour is of no use. */
export const GOOD_FOR_SECONDS = 3600

/** It asks somebody to act. */
export const asksToAct = ({ event }: Message): boolean => event === 'down' || event === 'degraded' || event === 'assigned'

export const pushTitle = (message: Message): string => truncate(`[${label(message)}] ${subjectLine(message)}`, MAX_TITLE_BYTES, 'bytes')

/** Not empty: a notification without text is not shown. */
export function pushBody(message: Message, now: number): string {
  const facts = factsOf(message)
    .filter(([name]) => name === 'Incident' || name === 'Regions')
    .map(([, value]) => value)
  const text = bodyOf(message, now) || [...facts, message.workspace.name].join(' · ')
  return truncate(text, MAX_BODY_BYTES, 'bytes')
}

/** Joins what is shown of one incident: the later takes the place of the earlier. */
export const shownAs = ({ incident, key }: Message): string => incident?.id ?? key

/** What the app is told, beside what it shows. Texts alone: Google takes nothing else. */
export function pushData(message: Message): Record<string, string> {
  const { event, incident, workspace, delivery_id } = message
  const url = linkOf(message)
  return {
    event,
    delivery_id,
    workspace_id: workspace.tenant_id,
    severity: severityOf(message),
    ...(incident && { incident_id: incident.id, incident_key: incident.key }),
    ...(url !== null && { url })
  }
}

export const notSetUp = (vendor: string): SendOutcome => ({
  outcome: 'permanent',
  why: `no account of ${vendor}`,
  scope: 'delivery',
  operator: true,
  user_text: 'This service sends nothing to such phones: its operator must set an account.'
})

/** The app is gone from the phone, or never was there. */
export const deadDevice = (reply: SendReply): SendOutcome =>
  deadChannel(reply, 'The app on this phone can no longer be reached. Open it once, so that it registers again.', true)

const AGAIN_MS = 60_000
const TRIES = 3

/**
 * The fault is the operator's: tried again a little later, and then left to the person's next
 * method.
 */
export const operatorsFault = (reply: SendReply, vendor: string, { attempt }: SendContext): SendOutcome =>
  attempt < TRIES
    ? { outcome: 'retry', why: `${vendor}: ${why(reply)}`, after_ms: AGAIN_MS, operator: true }
    : {
        outcome: 'permanent',
        why: why(reply),
        scope: 'delivery',
        operator: true,
        user_text: `${vendor} refuses this service: its operator must look at the account.`
      }
