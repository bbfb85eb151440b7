/**
 * Updates what chats show of an incident: its messages are changed to the present state, and its
 * room is told what has happened since. Where the incident may no longer be read, every word about
 * it is removed. Jobs of one incident may run at once: a job that ends and finds a newer version of
 * the incident runs again.
 * Source: docs/design/api/notifications.md#s8-6, docs/design/api/incidents.md#in-21.
 */

import { isVisible, sightOf } from '../../../schemas/http/visibility.ts'
import { answerKeysIn } from '../../channels/answers.ts'
import type { Message, SendContext, SendOutcome, SendReply, SendRequest } from '../../channels/channel.ts'
import type { Rooms } from '../../channels/rooms.ts'
import { SendFailure } from '../../delivery/failure.ts'
import { methodConfig } from '../../delivery/method-config.ts'
import { performSteps } from '../../delivery/steps.ts'
import { type DeliveryFacts, readFacts } from '../../store/delivery-facts.ts'
import { readTimeline, type TimelineItem } from '../../store/incident-reads.ts'
import type { LeasedJob } from '../../store/jobs.ts'
import type { Tx } from '../../store/pool.ts'
import { readNames } from '../../store/users.ts'
import {
  isPrivateNow,
  type RoomChannel,
  readRoomChannel,
  readStanding,
  readWarRoom,
  type Standing,
  saveFailed,
  saveNeutral,
  saveTold,
  takeRoom,
  type WarRoom
} from '../../store/war-rooms.ts'
import { appOf, CHAT_LIMITS, channelOf, openedConfig } from '../chat-app.ts'
import { type Again, type Post, payloadText, type RunJob } from '../job.ts'
import { standingMessage } from '../message.ts'
import { type Names, peopleIn, roomLine } from '../room-words.ts'

/** At most this many lines of a room, or messages that become neutral, in one run. */
const AT_ONCE = 10
/** Answers of one target that become neutral in one run. Discord takes five edits in 5 s. */
const ANSWERS_AT_ONCE = 4
const SOON_MS = 1000
/** After this time, a job that is telling in a room is given up. */
const BUSY_SECONDS = 30
/** Shorter than the lease of a job. */
const BUDGET_MS = 10_000
/** Wait while a delivery is on its way: the delivery has the last word. */
const LATER_MS = 5000
/** How many runs of one job may only wait or be refused. */
const MAX_WAITS = 60

interface Scene {
  job: LeasedJob
  post: Post
  facts: DeliveryFacts
  isPrivate: boolean
  context: SendContext
}

interface Meeting {
  room: WarRoom
  channel: RoomChannel
  rooms: Rooms
  items: TimelineItem[]
  names: Names
}

/**
 * Returns false when the request should be tried again. When the vendor refuses for good, the
 * message stays as it is.
 */
async function sent(post: Post, steps: Generator<SendRequest, SendOutcome, SendReply>): Promise<boolean> {
  try {
    return (await performSteps(post.http, steps, CHAT_LIMITS)).outcome !== 'retry'
  } catch (error) {
    if (error instanceof SendFailure) return false
    throw error
  }
}

const messageOf = ({ facts, post, context }: Scene, template: Standing['template'], target_id: string): Message =>
  standingMessage(facts, template, target_id, post.publicUrl, context.now)

/** Whether the target may read about the incident now, by the same rule as for a new message. */
function mayRead({ facts, isPrivate }: Scene, { channel, person }: Standing): boolean {
  const { team_id } = facts.incident
  if (person) return isVisible(sightOf(person.role, person), { team_id, visibility: isPrivate ? 'private' : 'org' })
  return !isPrivate || (channel !== null && team_id !== null && (channel.team_id === team_id || channel.allowed_team_ids.includes(team_id)))
}

/** Returns the settings with their secrets; null when nothing can be changed there any more. */
function configOf({ job, post }: Scene, { target_id, channel, person }: Standing): Record<string, unknown> | null {
  if (channel) return openedConfig(post, job.tenant_id, channel)
  const isReached = person !== null && (person.method.kind !== 'slack_dm' || person.method.app !== null)
  return isReached ? methodConfig(post.secretsKey, job.tenant_id, target_id, person.method, []) : null
}

interface Shown {
  /** False when it should be tried again. */
  done: boolean
  /** Within a moment. */
  soon?: true
  /** The new value after a change; null when it is as before. */
  neutral: boolean | null
  /** Keys of the answers that became neutral. */
  over: readonly string[]
}

const without = (ref: Standing['ref'], keys: readonly string[]): Standing['ref'] =>
  Object.fromEntries(Object.entries(ref).filter(([key]) => !keys.includes(key)))

/** Updates the message that one target was sent. */
async function shownAnew(scene: Scene, standing: Standing): Promise<Shown> {
  const { context } = scene
  const { ref, target_id, template, told, waits, undecided } = standing
  const mayHear = mayRead(scene, standing)
  const wasNeutral = ref.neutral !== undefined
  const same = { neutral: null, over: [] }
  // The delivery that is on its way changes this message, too.
  if (waits && mayHear) return { ...same, done: false }
  if (undecided && mayHear) return { ...same, done: false, soon: true }
  const kind = channelOf(standing.kind)
  const answers = mayHear ? [] : answerKeysIn(ref)
  const isRight = mayHear ? told && !wasNeutral : wasNeutral && answers.length === 0
  if (!kind?.edit || isRight) return { ...same, done: true }
  const config = configOf(scene, standing)
  if (config === null) return { ...same, done: true }
  const [over, later] = [answers.slice(0, ANSWERS_AT_ONCE), answers.slice(ANSWERS_AT_ONCE)]
  const shown = mayHear ? messageOf(scene, template, target_id) : null
  if (!(await sent(scene.post, kind.edit(shown, config, without(ref, later), context)))) return { ...same, done: false }
  // The first message is neutral now. If the incident comes back into sight meanwhile, it is shown.
  if (later.length > 0) return { done: false, soon: true, neutral: wasNeutral ? null : true, over }
  return { done: true, neutral: mayHear === wasNeutral ? !mayHear : null, over }
}

interface RoomNews extends Pick<WarRoom, 'told_ver' | 'posts' | 'neutral' | 'name'> {
  /** True when something is left to do. */
  more: boolean
  failed: string | null
}

/**
 * Takes the title out of the topic and the name of the room. Returns the name that the room has
 * then; null when it should be tried again.
 */
async function renamed({ post, facts, context }: Scene, { room, rooms }: Meeting, config: Record<string, unknown>): Promise<string | null> {
  const { number, incident_id } = facts.incident
  const plain = `inc-${number}`
  const isPlain = new RegExp(`^${plain}(?:-\\d)?$`).test(room.name)
  const to = { name: isPlain ? null : plain, topic: `INC-${number} ${post.publicUrl}/incidents/${incident_id}` }
  try {
    const outcome = await performSteps(post.http, rooms.rename(to, room.room ?? '', config, context), CHAT_LIMITS)
    return outcome.outcome === 'retry' ? null : (outcome.name ?? room.name)
  } catch (error) {
    if (error instanceof SendFailure) return null
    throw error
  }
}

/** Removes every word about the incident from the room. */
async function silenced(scene: Scene, meeting: Meeting): Promise<RoomNews> {
  const { post, context } = scene
  const { room, channel, rooms } = meeting
  const { told_ver, posts } = room
  const kind = channelOf(channel.kind)
  const now = posts.slice(0, AT_ONCE)
  const config = openedConfig(post, scene.job.tenant_id, channel)
  const name = room.neutral ? room.name : await renamed(scene, meeting, config)
  const done = now.length === 0 || !kind?.edit || (await sent(post, kind.edit(null, config, rooms.refOf(room.room ?? '', now), context)))
  return {
    told_ver,
    posts: done ? posts.slice(AT_ONCE) : posts,
    neutral: name !== null,
    name: name ?? room.name,
    more: !done || posts.length > AT_ONCE || name === null,
    failed: null
  }
}

/** Posts the first message with its actions, then one line for each thing that happened. */
async function told(scene: Scene, { room, channel, rooms, items, names }: Meeting): Promise<RoomNews> {
  const { job, post, facts, context } = scene
  const config = openedConfig(post, job.tenant_id, channel)
  const at = room.room ?? ''
  const news: RoomNews = { told_ver: room.told_ver, posts: [...room.posts], neutral: false, name: room.name, more: false, failed: null }
  const say = async (said: Message | string): Promise<boolean> => {
    const outcome = await performSteps(post.http, rooms.post(said, at, config, context), CHAT_LIMITS)
    if (outcome.outcome === 'posted') news.posts.push(outcome.id)
    if (outcome.outcome === 'refused') news.failed = outcome.user_text
    if (outcome.outcome !== 'posted') news.more = outcome.outcome === 'retry'
    return outcome.outcome === 'posted'
  }
  try {
    const message = messageOf(scene, null, room.channel_id)
    if (news.posts.length === 0) {
      if (!(await say(message))) return news
      // The first message covers everything so far.
      return { ...news, told_ver: facts.incident.ver }
    }
    for (const item of items) {
      if (Date.now() - context.now > BUDGET_MS) return { ...news, more: true }
      const line = roomLine(item, names)
      if (line !== null && !(await say(line))) return news
      news.told_ver = item.ver
    }
    const kind = channelOf(channel.kind)
    const [first] = room.posts
    if (items.length > 0 && kind?.edit && first !== undefined)
      await sent(post, kind.edit(message, config, rooms.refOf(at, [first]), context))
    // Changes that came after these lines are not told yet.
    return { ...news, more: news.told_ver < facts.incident.ver }
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error
    return { ...news, more: true }
  }
}

/** `busy`: another job is telling in the room, or died while it did. */
async function readMeeting(tx: Tx, tenant_id: string, incident_id: string): Promise<Meeting | 'busy' | null> {
  const room = await takeRoom(tx, tenant_id, incident_id, BUSY_SECONDS)
  if (!room) return (await readWarRoom(tx, tenant_id, incident_id))?.state === 'open' ? 'busy' : null
  const channel = await readRoomChannel(tx, tenant_id, room.channel_id)
  const rooms = channel && appOf(channel.kind)?.rooms
  if (!channel?.works || !rooms) return null
  const { items } = await readTimeline(tx, tenant_id, incident_id, { after: room.told_ver, limit: AT_ONCE })
  const names = await readNames(tx, tenant_id, [...new Set(items.flatMap(peopleIn))])
  return { room, channel, rooms, items, names }
}

/** A private incident is told only in the room that was made for its team. */
const mayMeet = ({ facts, isPrivate }: Scene, { room }: Meeting): boolean =>
  !isPrivate || (room.private && room.team_id !== null && room.team_id === facts.incident.team_id)

async function saveMeeting(tx: Tx, { room }: Meeting, news: RoomNews): Promise<void> {
  await saveTold(tx, room, news)
  if (news.failed !== null) await saveFailed(tx, room.tenant_id, room.incident_id, news.failed)
}

/** Since it was read. */
async function hasChanged(tx: Tx, { facts, isPrivate }: Scene): Promise<boolean> {
  const { tenant_id, incident_id, ver } = facts.incident
  const now = (await readFacts(tx, [{ tenant_id, incident_id }])).get(incident_id)
  return (now !== undefined && now.incident.ver !== ver) || (await isPrivateNow(tx, tenant_id, incident_id)) !== isPrivate
}

export const run: RunJob = async (tx, job, { post }) => {
  const { tenant_id } = job
  const incident_id = payloadText(job, 'incident_id')
  if (!post) throw new Error('incident_chat: this deployment sends nothing')
  // When an earlier run left only the room to do, the messages are skipped.
  const standing = job.payload.only === 'room' ? [] : await readStanding(tx, tenant_id, incident_id)
  const found = await readMeeting(tx, tenant_id, incident_id)
  // Read after the room, because taking the room may have waited.
  const facts = (await readFacts(tx, [{ tenant_id, incident_id }])).get(incident_id)
  if (!facts) return
  const meeting = found === 'busy' ? null : found
  if (standing.length === 0 && found === null) return
  const context = { now: Date.now(), attempt: job.attempts, doubtful: false, deployment: post.deployment }
  const scene: Scene = { job, post, facts, isPrivate: await isPrivateNow(tx, tenant_id, incident_id), context }
  const waits = typeof job.payload.waits === 'number' ? job.payload.waits : 0
  return {
    async outside() {
      const shown = await Promise.all(standing.map((one) => shownAnew(scene, one)))
      const news = meeting && (mayMeet(scene, meeting) ? await told(scene, meeting) : await silenced(scene, meeting))
      return async (ending: Tx): Promise<Again | undefined> => {
        if (meeting && news) await saveMeeting(ending, meeting, news)
        for (const [nth, { neutral, over }] of shown.entries()) {
          const target_id = standing[nth]?.target_id
          if (target_id !== undefined && (neutral !== null || over.length > 0))
            await saveNeutral(ending, { tenant_id, incident_id, target_id }, { neutral, over })
        }
        if (await hasChanged(ending, scene)) return { at: Date.now(), payload: { incident_id, waits } }
        const isShown = shown.every(({ done }) => done)
        const isTold = found !== 'busy' && !news?.more
        if ((isShown && isTold) || waits >= MAX_WAITS) return undefined
        const only = isShown ? { only: 'room' } : {}
        const isSoon = !isTold || shown.some(({ soon }) => soon)
        const isForth = shown.some(({ over }) => over.length > 0)
        return { at: Date.now() + (isSoon ? SOON_MS : LATER_MS), payload: { incident_id, waits: isForth ? waits : waits + 1, ...only } }
      }
    }
  }
}
