/**
 * What a phone shows, in words and limits that both vendors accept: 4096 bytes for everything.
 * Source: docs/design/outbound-channels.md#s6.
 */
import type { Message, SendContext, SendOutcome, SendReply } from './channel.ts'
import { deadChannel, why } from './judging.ts'
import { truncate } from './text.ts'
import { bodyOf, factsOf, label, linkOf, severityOf, subjectLine, tellsFailure } from './words.ts'

export type Device = {
  platform: 'ios' | 'android'
  push_token: string
  /** Epoch ms: when the app last registered with this token. */
  registered_at: number
}

const MAX_TITLE_BYTES = 240
const MAX_BODY_BYTES = 800
/** A page that no phone could show within the hour is useless. */
export const GOOD_FOR_SECONDS = 3600

/** Whether the event asks somebody to act. */
export const asksToAct = ({ event }: Message): boolean => tellsFailure(event) || event === 'assigned'

export const pushTitle = (message: Message): string => truncate(`[${label(message)}] ${subjectLine(message)}`, MAX_TITLE_BYTES, 'bytes')

/** Never empty: a notification without text is not shown. */
export function pushBody(message: Message, now: number): string {
  const facts = factsOf(message)
    .filter(([name]) => name === 'Incident' || name === 'Regions')
    .map(([, value]) => value)
  const text = bodyOf(message, now) || [...facts, message.workspace.name].join(' · ')
  return truncate(text, MAX_BODY_BYTES, 'bytes')
}

/** The id that joins the notifications of one incident: a later one replaces the earlier one. */
export const shownAs = ({ incident, key }: Message): string => incident?.id ?? key

/**
 * The data for the app, besides what the phone shows. All values are texts, because Google accepts
 * nothing else.
 */
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

/** The app was removed from the phone, or was never there. */
export const deadDevice = (reply: SendReply): SendOutcome =>
  deadChannel(reply, 'The app on this phone can no longer be reached. Open it once, so that it registers again.', true)

const AGAIN_MS = 60_000
const TRIES = 3

/**
 * The fault is the operator's. The message is retried a little later, and then left to the person's
 * next contact method.
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
