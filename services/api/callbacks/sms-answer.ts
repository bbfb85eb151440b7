/**
 * Reads what people answer by text message: ACK, RESOLVE or HELP, with the code of the message, or
 * without a code where only one thing can be meant.
 * Source: docs/design/outbound-channels.md#s3-25, docs/design/api/notifications.md#ch-6.
 */
import type { Incident } from '../../../schemas/generated/events.ts'
import { rightsOf } from '../../../schemas/http/rights.ts'
import { seenBy } from '../../../schemas/http/visibility.ts'
import { replyCodeOf } from '../../channels/reply-code.ts'
import { type PhonePage, phoneOwners, phonePages, takeCallback } from '../../store/callbacks.ts'
import { readStandings } from '../../store/incident-reads.ts'
import { keyedTransaction, type Pool } from '../../store/pool.ts'
import { readRole } from '../../store/users.ts'
import type { Services } from '../services.ts'
import { actByWords } from './act.ts'
import { notTaken } from './signed.ts'

export type Asked = { word: 'acknowledge' | 'resolve'; code: string | null } | { word: 'help' } | { word: 'unknown' }

const WORDS: Readonly<Record<string, Asked['word']>> = {
  ACK: 'acknowledge',
  ACKNOWLEDGE: 'acknowledge',
  A: 'acknowledge',
  RESOLVE: 'resolve',
  RES: 'resolve',
  R: 'resolve',
  HELP: 'help',
  H: 'help',
  INFO: 'help',
  '?': 'help'
}

/** Reads a word and perhaps a code after it. Dots, dashes and quotes around them are ignored. */
export function askedIn(text: string): Asked {
  const [first = '', second = null, ...more] = text
    .toUpperCase()
    .split(/[^A-Z0-9?]+/)
    .filter((part) => part !== '')
  const word = WORDS[first] ?? 'unknown'
  if (word === 'help' || word === 'unknown') return { word }
  return more.length > 0 || (second !== null && !/^[A-Z0-9]{1,8}$/.test(second)) ? { word: 'unknown' } : { word, code: second }
}

const HELP = 'Answer ACK and the code of a message to take an incident, or RESOLVE and the code to end it. STOP ends all messages.'
const HOURS_MS = 24 * 3_600_000
const MAX_LISTED = 4

interface Message {
  from: string
  body: string
  sid: string
  request_id: string
}

interface SeenPage extends PhonePage, Pick<Incident, 'number' | 'status' | 'acknowledged_at'> {
  /** The role of the member may act on incidents. */
  acts: boolean
}

/** Returns the pages whose incident their member sees now, in their order. */
async function seenPages(pool: Pool, pages: readonly PhonePage[]): Promise<SeenPage[]> {
  const ownerOf = ({ tenant_id, user_id }: PhonePage): string => `${tenant_id} ${user_id}`
  const seen = new Map<PhonePage, SeenPage>()
  for (const owner of new Set(pages.map(ownerOf))) {
    const own = pages.filter((page) => ownerOf(page) === owner)
    const [{ tenant_id, user_id }] = own as [PhonePage]
    const role = await keyedTransaction(pool, { tenant_id, seen_by: null }, (tx) => readRole(tx, tenant_id, user_id))
    if (role === null) continue
    const acts = rightsOf(role, null).has('incidents:act')
    const ids = own.map(({ incident_id }) => incident_id)
    const standings = await keyedTransaction(pool, { tenant_id, seen_by: seenBy(role, user_id) }, (tx) => readStandings(tx, tenant_id, ids))
    for (const page of own) {
      const standing = standings.get(page.incident_id)
      if (standing) seen.set(page, { ...page, ...standing, acts })
    }
  }
  return pages.flatMap((page) => seen.get(page) ?? [])
}

/**
 * Returns one page of each incident, the newest first. A number may belong to several members: the
 * page is that of one who may act, if there is one.
 */
function oneOfEach(pages: readonly SeenPage[]): SeenPage[] {
  const found = new Map<string, SeenPage>()
  for (const page of pages) {
    const before = found.get(page.incident_id)
    if (!before || (page.acts && !before.acts)) found.set(page.incident_id, page)
  }
  return [...found.values()]
}

/**
 * The pages that an answer without a code may mean: sent to the number within a day, and about an
 * incident that still needs this answer.
 */
async function openPages(pool: Pool, pages: readonly PhonePage[], word: 'acknowledge' | 'resolve'): Promise<SeenPage[]> {
  const ofToday = pages.filter(({ told_at }) => told_at > Date.now() - HOURS_MS)
  return oneOfEach(await seenPages(pool, ofToday)).filter(
    ({ status, acknowledged_at }) => status === 'ongoing' && (word === 'resolve' || acknowledged_at === null)
  )
}

/** Returns the page that is meant, or the words to say instead. */
async function pageOf(
  pool: Pool,
  pages: readonly PhonePage[],
  word: 'acknowledge' | 'resolve',
  code: string | null
): Promise<PhonePage | { say: string }> {
  if (code !== null) {
    const named = pages.filter(({ incident_id }) => replyCodeOf(incident_id) === code)
    const [meant] = oneOfEach(await seenPages(pool, named))
    return meant ?? named[0] ?? { say: 'No message of the last days has this code.' }
  }
  const open = await openPages(pool, pages, word)
  const [first] = open
  if (!first) return { say: 'Nothing is open that was sent to this number.' }
  if (open.length === 1) return first
  const verb = word === 'acknowledge' ? 'ACK' : 'RESOLVE'
  const listed = open.slice(0, MAX_LISTED).map(({ incident_id, number }) => `${verb} ${replyCodeOf(incident_id)} (INC-${number})`)
  return { say: `${open.length} are open. Answer ${listed.join(' or ')}.` }
}

/**
 * Returns the words to send back; null: send nothing, because nobody has this number. Throws
 * SIGNATURE_INVALID for a message that was accepted before.
 */
export async function answerTo(services: Services, { from, body, sid, request_id }: Message): Promise<string | null> {
  const { pool } = services
  const receipt = `sms:${sid}`
  const say = async (words: string | null): Promise<string | null> => {
    if (!(await takeCallback(pool, receipt))) throw notTaken()
    return words
  }
  const asked = askedIn(body)
  if ((await phoneOwners(pool, from)).length === 0) return say(asked.word === 'help' ? HELP : null)
  if (asked.word === 'help' || asked.word === 'unknown') return say(HELP)
  const meant = await pageOf(pool, await phonePages(pool, from), asked.word, asked.code)
  if ('say' in meant) return say(meant.say)
  const { tenant_id, user_id, incident_id } = meant
  return actByWords(services, { tenant_id, user_id, via: 'sms', receipt, request_id }, incident_id, { do: asked.word })
}
