/**
 * What stands in chats of an incident looks as the incident stands now, and its room hears what has
 * happened since. Where it may not be read any more, nothing there says a word of it. Jobs of one
 * incident may run at once: who ends and finds that it has changed meanwhile looks again.
 * Source: docs/design/api/notifications.md#s8-6, docs/design/api/incidents.md#in-21.
 */

import { isVisible, sightOf } from '../../../schemas/http/visibility.ts'
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

/** Lines of a room, and messages that become neutral, in one run. */
const AT_ONCE = 10
const SOON_MS = 1000
/** Then whoever told in a room is given up. */
const BUSY_SECONDS = 30
/** The lease of a job is longer. */
const BUDGET_MS = 10_000
/** While a delivery is on its way it has the last word. */
const LATER_MS = 5000
/** Runs of one job that only wait or were refused. */
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

/** False: it should be tried again. What a vendor refuses for good stays as it is. */
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

/** The rule by which it would be told there now. */
function mayRead({ facts, isPrivate }: Scene, { channel, person }: Standing): boolean {
  const { team_id } = facts.incident
  if (person) return isVisible(sightOf(person.role, person), { team_id, visibility: isPrivate ? 'private' : 'org' })
  return !isPrivate || (channel !== null && team_id !== null && (channel.team_id === team_id || channel.allowed_team_ids.includes(team_id)))
}

/** With its secrets; null: nothing can be changed there any more. */
function configOf({ job, post }: Scene, { target_id, channel, person }: Standing): Record<string, unknown> | null {
  if (channel) return openedConfig(post, job.tenant_id, channel)
  const isReached = person !== null && (person.method.kind !== 'slack_dm' || person.method.app !== null)
  return isReached ? methodConfig(post.secretsKey, job.tenant_id, target_id, person.method, []) : null
}

interface Shown {
  /** Else it should be tried again. */
  done: boolean
  /** Within a moment. */
  soon?: true
  /** Changed by it; null: as before. */
  neutral: boolean | null
}

/** Shows anew what one channel was told. */
async function shownAnew(scene: Scene, standing: Standing): Promise<Shown> {
  const { context } = scene
  const { ref, target_id, template, told, waits, undecided } = standing
  const mayHear = mayRead(scene, standing)
  const wasNeutral = ref.neutral !== undefined
  // What is told there changes it, too.
  if (waits && mayHear) return { done: false, neutral: null }
  if (undecided && mayHear) return { done: false, soon: true, neutral: null }
  const kind = channelOf(standing.kind)
  const isRight = mayHear ? told && !wasNeutral : wasNeutral
  if (!kind?.edit || isRight) return { done: true, neutral: null }
  const config = configOf(scene, standing)
  if (config === null) return { done: true, neutral: null }
  const done = await sent(scene.post, kind.edit(mayHear ? messageOf(scene, template, target_id) : null, config, ref, context))
  return { done, neutral: done && mayHear === wasNeutral ? !mayHear : null }
}

interface RoomNews extends Pick<WarRoom, 'told_ver' | 'posts' | 'neutral'> {
  /** Something is left to do. */
  more: boolean
  failed: string | null
}

/** Nothing in it says a word of the incident any more. */
async function silenced({ job, post, context }: Scene, { room, channel, rooms }: Meeting): Promise<RoomNews> {
  const { told_ver, posts } = room
  const kind = channelOf(channel.kind)
  const now = posts.slice(0, AT_ONCE)
  const config = openedConfig(post, job.tenant_id, channel)
  const done = now.length === 0 || !kind?.edit || (await sent(post, kind.edit(null, config, rooms.refOf(room.room ?? '', now), context)))
  return { told_ver, posts: done ? posts.slice(AT_ONCE) : posts, neutral: true, more: !done || posts.length > AT_ONCE, failed: null }
}

/** The first message with what can be done, then a line for each thing that happened. */
async function told(scene: Scene, { room, channel, rooms, items, names }: Meeting): Promise<RoomNews> {
  const { job, post, facts, context } = scene
  const config = openedConfig(post, job.tenant_id, channel)
  const at = room.room ?? ''
  const news: RoomNews = { told_ver: room.told_ver, posts: [...room.posts], neutral: false, more: false, failed: null }
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
      // It says all that has been so far.
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
    // What was read after its lines is not told yet.
    return { ...news, more: news.told_ver < facts.incident.ver }
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error
    return { ...news, more: true }
  }
}

/** `busy`: somebody tells there, or died telling. */
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

/** A private incident is told of in the room that was made for its team, and nowhere else. */
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
  // What is left of a run before may be its room alone.
  const standing = job.payload.only === 'room' ? [] : await readStanding(tx, tenant_id, incident_id)
  const found = await readMeeting(tx, tenant_id, incident_id)
  // Behind the room, which may have been waited for.
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
        for (const [nth, { neutral }] of shown.entries()) {
          const one = standing[nth]
          if (one && neutral !== null) await saveNeutral(ending, tenant_id, incident_id, one.target_id, neutral)
        }
        if (await hasChanged(ending, scene)) return { at: Date.now(), payload: { incident_id, waits } }
        const isShown = shown.every(({ done }) => done)
        const isTold = found !== 'busy' && !news?.more
        if ((isShown && isTold) || waits >= MAX_WAITS) return undefined
        const only = isShown ? { only: 'room' } : {}
        const isSoon = !isTold || shown.some(({ soon }) => soon)
        return { at: Date.now() + (isSoon ? SOON_MS : LATER_MS), payload: { incident_id, waits: waits + 1, ...only } }
      }
    }
  }
}
