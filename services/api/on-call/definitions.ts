/**
 * Checks the definition of a schedule for what a schema cannot say: zones, dates, people, and which
 * fields go with which rotation.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '../../../schemas/http/common.ts'
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import type { LayerBody, UpdateScheduleBody } from '../../../schemas/http/on-call.ts'
import {
  type Definition,
  deafFamilies,
  type Fallback,
  FIRST_DATE,
  LAST_DATE,
  type Layer,
  type Participant
} from '../../../schemas/http/on-call-words.ts'
import { dayOf } from '../../../streams/on-call/dates.ts'
import { channels } from '../../channels/kinds/index.ts'
import { kindsOfChannels } from '../../store/channels.ts'
import { membersAmong } from '../../store/members.ts'
import type { Tx } from '../../store/pool.ts'
import { peopleOf, readSchedule } from '../../store/schedules.ts'
import { invalid, refuse } from '../http/errors.ts'
import { zoneNamed } from '../http/span.ts'

const fault = (path: string, rule: string, message: string): ErrorDetail => ({ path, rule, message })

function dateFaults(path: string, date: string): ErrorDetail[] {
  if (dayOf(date) === null) return [fault(path, 'pattern', 'is no date')]
  return date < FIRST_DATE || date > LAST_DATE ? [fault(path, 'max', `must be from ${FIRST_DATE} to ${LAST_DATE}`)] : []
}

/** Checks which fields go with the rotation. */
function rotationFaults(path: string, { rotation, every = 1, handoff_day = null, shift_hours = null }: LayerBody): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  const wanted = rotation === 'weekly' ? 'string' : rotation === 'monthly' ? 'number' : null
  if (wanted === null && handoff_day !== null)
    faults.push(fault(`${path}.handoff_day`, 'not_allowed', `is not of the rotation ${rotation}`))
  if (wanted !== null && handoff_day === null)
    faults.push(fault(`${path}.handoff_day`, 'required', `is required of the rotation ${rotation}`))
  else if (wanted !== null && typeof handoff_day !== wanted)
    faults.push(fault(`${path}.handoff_day`, 'type', wanted === 'string' ? 'must be a weekday' : 'must be a day from 1 to 28'))
  if (rotation === 'hours' && shift_hours === null)
    faults.push(fault(`${path}.shift_hours`, 'required', 'is required of the rotation hours'))
  if (rotation !== 'hours' && shift_hours !== null)
    faults.push(fault(`${path}.shift_hours`, 'not_allowed', `is not of the rotation ${rotation}`))
  if (rotation === 'hours' && every !== 1)
    faults.push(fault(`${path}.every`, 'not_allowed', 'must be 1: shift_hours says how long a turn is'))
  return faults
}

function layerFaults(layer: LayerBody, at: number, names: ReadonlySet<string>): ErrorDetail[] {
  const path = `layers[${at}]`
  const { starts_on, ends_on = null, start_index = 0, participants } = layer
  const faults = [
    ...(names.has(layer.name) ? [fault(`${path}.name`, 'duplicate', 'is the name of another layer')] : []),
    ...rotationFaults(path, layer),
    ...dateFaults(`${path}.starts_on`, starts_on),
    ...(ends_on === null ? [] : dateFaults(`${path}.ends_on`, ends_on))
  ]
  if (ends_on !== null && ends_on < starts_on) faults.push(fault(`${path}.ends_on`, 'empty_interval', 'lies before starts_on'))
  if (start_index >= participants.length)
    faults.push({
      ...fault(`${path}.start_index`, 'max', `must be at most ${participants.length - 1}`),
      limit: participants.length - 1,
      actual: start_index
    })
  return faults
}

const lower = (participant: Participant): Participant =>
  participant === null ? null : typeof participant === 'string' ? participant.toLowerCase() : participant.map((id) => id.toLowerCase())

const toLayer = (layer: LayerBody, at: number): Layer => ({
  name: layer.name,
  time_zone: layer.time_zone == null ? null : zoneNamed(layer.time_zone, `layers[${at}].time_zone`),
  participants: layer.participants.map(lower),
  rotation: layer.rotation,
  every: layer.every ?? 1,
  handoff_time: layer.handoff_time,
  handoff_day: layer.handoff_day ?? null,
  starts_on: layer.starts_on,
  ends_on: layer.ends_on ?? null,
  start_index: layer.start_index ?? 0,
  restrictions: (layer.restrictions ?? []).map(({ days = [], from, to, to_day = null }) => ({ days, from, to, to_day })),
  shift_hours: layer.shift_hours ?? null
})

function toFallback({ kind, id = null }: { kind: Fallback['kind']; id?: string | null }): Fallback {
  const named = kind === 'user' || kind === 'schedule'
  if (named && id === null) throw invalid('fallback.id', 'required', `is required of the fallback ${kind}`)
  if (!named && id !== null) throw invalid('fallback.id', 'not_allowed', `is not of the fallback ${kind}`)
  return { kind, id: id === null ? null : id.toLowerCase() }
}

/** A notice of a change has no hour: it is sent when the change happens. */
const noticeShapeFaults = (notices: NonNullable<UpdateScheduleBody['notices']>): ErrorDetail[] =>
  notices.flatMap(({ when, at = null, days = [] }, nth) =>
    when !== 'on_change'
      ? []
      : [
          ...(at === null ? [] : [fault(`notices[${nth}].at`, 'not_allowed', 'is not of the notice on_change')]),
          ...(days.length === 0 ? [] : [fault(`notices[${nth}].days`, 'not_allowed', 'is not of the notice on_change')])
        ]
  )

/** Puts `given` over `before` (null: a new one). Throws VALIDATION_FAILED. */
export function changedDefinition(before: Definition | null, given: UpdateScheduleBody): Definition {
  const time_zone = given.time_zone === undefined ? before?.time_zone : zoneNamed(given.time_zone)
  if (time_zone === undefined) throw invalid('time_zone', 'required', 'is required')
  let layers = before?.layers
  if (given.layers) {
    const names = new Set<string>()
    const faults = given.layers.flatMap((layer, at) => {
      const found = layerFaults(layer, at, names)
      names.add(layer.name)
      return found
    })
    refuse(faults)
    layers = given.layers.map(toLayer)
  }
  if (layers === undefined) throw invalid('layers', 'required', 'is required')
  refuse(noticeShapeFaults(given.notices ?? []))
  return {
    time_zone,
    layers,
    fallback: given.fallback ? toFallback(given.fallback) : (before?.fallback ?? { kind: 'policy_default', id: null }),
    notices:
      given.notices?.map(({ channel_id, when, at = null, days = [] }) => ({ channel_id: channel_id.toLowerCase(), when, at, days })) ??
      before?.notices ??
      [],
    min_participants: given.min_participants ?? before?.min_participants ?? 1
  }
}

/**
 * Throws VALIDATION_FAILED if the definition names a person, a schedule or a channel that is not in
 * this workspace.
 */
export async function checkNamed(tx: Tx, tenant_id: string, schedule_id: string, definition: Definition, before: Definition | null) {
  const { layers, fallback } = definition
  const here = await membersAmong(tx, tenant_id, peopleOf(definition))
  const faults = layers.flatMap(({ participants }, layer) =>
    participants.flatMap((participant, at) =>
      [participant ?? []].flat().flatMap((id, index) => {
        const path = `layers[${layer}].participants[${at}]${typeof participant === 'string' ? '' : `[${index}]`}`
        return here.has(id) ? [] : [fault(path, 'not_a_member', 'is not a member of this workspace')]
      })
    )
  )
  if (fallback.kind === 'user' && fallback.id !== null && !here.has(fallback.id))
    faults.push(fault('fallback.id', 'not_a_member', 'is not a member of this workspace'))
  if (fallback.kind === 'schedule' && fallback.id !== null && !isDeepStrictEqual(fallback, before?.fallback)) {
    const other = await readSchedule(tx, tenant_id, fallback.id)
    if (fallback.id === schedule_id) faults.push(fault('fallback.id', 'loop', 'is this schedule itself'))
    else if (!other || other.deleted_at !== null)
      faults.push(fault('fallback.id', 'unknown_schedule', 'is not a schedule of this workspace'))
  }
  faults.push(...(await noticeFaults(tx, tenant_id, definition, before)))
  refuse(faults)
}

/** A notice of who is on call is for reading: it must page nobody and open no ticket. */
const hearsNotices = (kind: ChannelKind): boolean => !deafFamilies.some((family) => family === (channels[kind]?.family ?? family))

/**
 * A channel that is named already may stay, even if the person who changes the rest does not see
 * it.
 */
async function noticeFaults(tx: Tx, tenant_id: string, { notices }: Definition, before: Definition | null): Promise<ErrorDetail[]> {
  const named = new Set(before?.notices.map(({ channel_id }) => channel_id))
  const added = notices.map(({ channel_id }) => channel_id).filter((id) => !named.has(id))
  if (added.length === 0) return []
  const there = await kindsOfChannels(tx, tenant_id, added)
  return notices.flatMap(({ channel_id }, at) => {
    if (named.has(channel_id)) return []
    const kind = there.get(channel_id)
    const path = `notices[${at}].channel_id`
    if (kind === undefined) return [fault(path, 'unknown_channel', 'is not a channel of this workspace')]
    return hearsNotices(kind) ? [] : [fault(path, 'unfit_channel', `is of the kind ${kind}, which tells of failures alone`)]
  })
}
