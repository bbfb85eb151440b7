/**
 * Answers a sender in a chat app, whatever the vendor. A sender who is linked to a member acts as
 * that member, with the member's rights at that moment. A sender who is linked to nobody gets a
 * private link and nothing else.
 * Source: docs/design/api/notifications.md#s8-6, docs/design/specification.md#s5-7.
 */
import { CHAT_LINK_MINUTES } from '../../../schemas/http/chat.ts'
import type { MemberRole, Scope } from '../../../schemas/http/endpoints.ts'
import { rightsOf } from '../../../schemas/http/rights.ts'
import { seenBy, type Viewer, wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { mintChatLink } from '../../credentials/credentials.ts'
import { takeCallback } from '../../store/callbacks.ts'
import { identityOf, type Linked, type NamedSender, offerLink } from '../../store/chat.ts'
import { listIncidents } from '../../store/incident-reads.ts'
import { onCallAt } from '../../store/on-call.ts'
import { keyedTransaction, type Pool, type Tx, tenantTransaction, transaction } from '../../store/pool.ts'
import { listSchedules } from '../../store/schedules.ts'
import { readNames, readRole } from '../../store/users.ts'
import { actByWords, type WordAction } from '../callbacks/act.ts'
import { ApiError } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { type ChatCommand, helpText, onCallText, statusText } from './commands.ts'
import { senderText } from './linked.ts'
import { pair, settle } from './pairing.ts'

export interface Asked {
  who: NamedSender
  /** Identifies the vendor's call, so that it is accepted only once. */
  receipt: string
  request_id: string
  command: ChatCommand
  /** Name of the command that carries the words; empty where each word is a command of its own. */
  name: string
  /**
   * The workspace that owns the bot: members of other workspaces are strangers there; null: the
   * operator's bot.
   */
  tenant_id: string | null
  /** Words for strangers in place of their private link; null: they get the link. */
  strangers: string | null
}

const MAX_OPEN = 10
const MAX_DUTIES = 20

async function status(tx: Tx, tenant_id: string): Promise<string> {
  const { items, total } = await listIncidents(tx, tenant_id, { status: ['ongoing'] }, { page: 1, per_page: MAX_OPEN, sort: '-started_at' })
  return statusText(items, total)
}

async function onCall(tx: Tx, tenant_id: string, wanted: string | null, now: number): Promise<string> {
  const { items: shown, total } = await listSchedules(tx, tenant_id, { q: wanted ?? undefined }, { page: 1, per_page: MAX_DUTIES })
  const found = await onCallAt(
    tx,
    tenant_id,
    shown.map(({ schedule_id }) => schedule_id),
    now
  )
  const names = await readNames(tx, tenant_id, [...new Set([...found.values()].flatMap(({ user_ids }) => user_ids))])
  const duties = shown.map(({ schedule_id, name }) => ({
    schedule: name,
    people: (found.get(schedule_id)?.user_ids ?? []).flatMap((id) => names.get(id) ?? [])
  }))
  return onCallText(duties, wanted, total - shown.length)
}

/** How to answer a command that only reads or explains; null: the command acts. */
function reading({ command, name }: Asked, { tenant_id }: Viewer): { needs: Scope | null; words(tx: Tx): Promise<string> } | null {
  switch (command.word) {
    case 'status':
      return { needs: 'read', words: (tx) => status(tx, tenant_id) }
    case 'oncall':
      return { needs: 'read', words: (tx) => onCall(tx, tenant_id, command.schedule, Date.now()) }
    case 'help':
      return { needs: null, words: async () => helpText(name) }
    case 'unclear':
      return { needs: null, words: async () => `${command.say}\n${helpText(name)}` }
    default:
      return null
  }
}

const actionOf = (command: Extract<ChatCommand, { incident: string }>): WordAction => {
  if (command.word === 'silence') return { do: 'silence', minutes: command.minutes }
  return { do: command.word === 'ack' ? 'acknowledge' : 'resolve' }
}

/** Accepts the call and creates a private link in the same transaction. */
function asStranger(pool: Pool, { who, receipt, strangers }: Asked, publicUrl: string): Promise<string | null> {
  return transaction(pool, async (tx) => {
    if (!(await takeCallback(tx, receipt))) return null
    if (strangers !== null) return strangers
    const { value, sha256 } = mintChatLink()
    await offerLink(tx, who, sha256, CHAT_LINK_MINUTES * 60)
    return `You are not linked to a member yet. Open this link within ${CHAT_LINK_MINUTES} minutes, and keep it to yourself: ${publicUrl}/links/chat/${value}`
  })
}

async function asMember(services: Services, asked: Asked, { tenant_id, user_id }: Linked, role: MemberRole): Promise<string | null> {
  const { command, receipt, request_id, who } = asked
  const viewer = { tenant_id, seen_by: seenBy(role, user_id) }
  const read = reading(asked, viewer)
  if (read) {
    const may = read.needs === null || rightsOf(role, null).has(read.needs)
    return tenantTransaction(services.pool, viewer, async (tx) => {
      if (!(await takeCallback(tx, receipt))) return null
      return may ? read.words(tx) : 'Your role in this workspace does not see incidents.'
    })
  }
  if (!('incident' in command)) throw new Error(`the command ${command.word} neither reads nor acts`)
  const answer = { tenant_id, user_id, via: 'chat', sender: senderText(who), receipt, request_id } as const
  try {
    return await actByWords(services, answer, command.incident, actionOf(command))
  } catch (error) {
    // The call was accepted before, so the sender has been answered already.
    if (error instanceof ApiError && error.code === 'SIGNATURE_INVALID') return null
    throw error
  }
}

/**
 * Does what was asked and returns the words for the sender; null: say nothing, because this call
 * was accepted before.
 */
export async function answerInChat(services: Services, given: Asked): Promise<string | null> {
  const settled = given.command.word === 'settle' ? await settle(services, { ...given, ...given.command }) : undefined
  if (settled !== undefined) return settled
  const asked: Asked = given.command.word === 'settle' ? { ...given, command: { word: 'help' } } : given
  const { pool, config } = services
  const { who, command, receipt, request_id } = asked
  if (command.word === 'pair') return pair(services, { who, code: command.code, receipt, request_id })
  const known = await identityOf(pool, who)
  const linked = asked.tenant_id === null || known?.tenant_id === asked.tenant_id ? known : null
  const role =
    linked && (await keyedTransaction(pool, wholeWorkspace(linked.tenant_id), (tx) => readRole(tx, linked.tenant_id, linked.user_id)))
  return linked && role ? asMember(services, asked, linked, role) : asStranger(pool, asked, config.publicUrl)
}
