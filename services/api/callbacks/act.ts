/**
 * Acts on incidents by words from a phone or a chat app. The sender acts as the member who owns the
 * number or account. Membership, role and sight of the incident are checked again at that moment.
 * Source: docs/design/api/notifications.md#s8-6, docs/design/specification.md#s5-7.
 */
import type { Incident } from '../../../schemas/generated/events.ts'
import { rightsOf } from '../../../schemas/http/rights.ts'
import { seenBy } from '../../../schemas/http/visibility.ts'
import type { Command } from '../../../streams/incident/rules.ts'
import { takeCallback } from '../../store/callbacks.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { readNames, readRole } from '../../store/users.ts'
import { ApiError } from '../http/errors.ts'
import { locksOf } from '../incidents/actions.ts'
import { commandBy } from '../incidents/commands.ts'
import type { Services } from '../services.ts'
import { notTaken } from './signed.ts'

export type WordAction = { do: 'acknowledge' | 'resolve' } | { do: 'silence'; minutes: number }

export interface Answer {
  tenant_id: string
  user_id: string
  via: 'sms' | 'voice' | 'chat'
  /** The sender, where the vendor names one: for the audit log. */
  sender?: string
  /** Identifies the callback, so that it is accepted only once. */
  receipt: string
  request_id: string
}

const keyOf = ({ number }: Pick<Incident, 'number'>): string => `INC-${number}`
const NOT_FOUND = 'The incident was not found.'
const doneWords = (action: WordAction, key: string): string => {
  switch (action.do) {
    case 'acknowledge':
      return `${key} is acknowledged.`
    case 'resolve':
      return `${key} is resolved.`
    case 'silence':
      return `${key} is silenced for ${action.minutes} ${action.minutes === 1 ? 'minute' : 'minutes'}.`
  }
}

const commandOf = (action: WordAction, by: string, now: number): Command => {
  switch (action.do) {
    case 'acknowledge':
      return { command: 'acknowledge', by, comment: null }
    case 'resolve':
      return { command: 'resolve', by, note: null, until_recovered: true }
    case 'silence':
      return { command: 'silence', by, until: now + action.minutes * 60_000, reason: null }
  }
}

/** Says in words that the incident is resolved already, or who acknowledged it; null: neither. */
async function alreadyBy(tx: Tx, action: WordAction, { tenant_id, user_id }: Answer, before: Incident): Promise<string | null> {
  const key = keyOf(before)
  if (before.status === 'resolved') return `${key} is resolved already.`
  if (action.do !== 'acknowledge' || before.acknowledged_by === null) return null
  const id = before.acknowledged_by.startsWith('user:') ? before.acknowledged_by.slice('user:'.length) : null
  const name = id === user_id ? 'you' : id === null ? null : (await readNames(tx, tenant_id, [id])).get(id)
  return `${key} was acknowledged${name ? ` by ${name}` : ''} already.`
}

async function perform(tx: Tx, { codec }: Services, answer: Answer, incident_id: string, action: WordAction): Promise<string> {
  const { tenant_id, user_id, via, sender, request_id } = answer
  const before = await readIncident(tx, tenant_id, incident_id)
  if (!before) return NOT_FOUND
  const already = await alreadyBy(tx, action, answer, before)
  if (already !== null) return already
  const doer = {
    tenant_id,
    actor: { kind: 'user', id: user_id, via, request_id },
    request_id,
    ...(sender !== undefined && { sender })
  } as const
  const { incident } = await commandBy(
    tx,
    codec,
    doer,
    incident_id,
    (_tx, { now }) => commandOf(action, `user:${user_id}`, now),
    locksOf(action.do)
  )
  return doneWords(action, keyOf(incident))
}

/**
 * Performs the action and returns the words that say what became of it. A refusal is also returned
 * as words, because the sender is known by their number. Throws SIGNATURE_INVALID for an answer
 * that was accepted before.
 */
export async function actByWords(services: Services, answer: Answer, incident_id: string, action: WordAction): Promise<string> {
  const { pool } = services
  const { tenant_id, user_id, receipt } = answer
  const whole = { tenant_id, seen_by: null }
  const role = await keyedTransaction(pool, whole, (tx) => readRole(tx, tenant_id, user_id))
  const refuse = async (words: string): Promise<string> => {
    if (!(await keyedTransaction(pool, whole, (tx) => takeCallback(tx, receipt)))) throw notTaken()
    return words
  }
  if (role === null) return refuse(NOT_FOUND)
  if (!rightsOf(role, null).has('incidents:act')) return refuse('Your role in this workspace does not act on incidents.')
  try {
    return await retrying(() =>
      keyedTransaction(pool, { tenant_id, seen_by: seenBy(role, user_id) }, async (tx) => {
        if (!(await takeCallback(tx, receipt))) throw notTaken()
        return perform(tx, services, answer, incident_id, action)
      })
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'SIGNATURE_INVALID') throw error
    return refuse(error.code === 'NOT_FOUND' ? NOT_FOUND : 'It was not done: the incident has changed meanwhile.')
  }
}
