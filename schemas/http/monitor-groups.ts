/**
 * Groups of monitors: a name under which a list shows several monitors together.
 * Source: docs/design/api/monitors.md#mo-15 and #mo-16.
 */
import { type Static, Type } from 'typebox'
import { common, Description, list, Name, oneOf, paging } from './common.ts'

/** The most groups of a workspace. */
export const MAX_GROUPS = 200

export const groupStates = ['down', 'degraded', 'up', 'paused', 'empty'] as const

const fields = {
  description: Type.Optional(Description),
  order: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description: 'Position in the list; equal ones are sorted by name.' }))
}
const closed = { additionalProperties: false }

export const CreateGroupBody = Type.Object({ name: Name, ...fields }, closed)
export type CreateGroupBody = Static<typeof CreateGroupBody>
export const UpdateGroupBody = Type.Object({ name: Type.Optional(Name), ...fields }, closed)
export type UpdateGroupBody = Static<typeof UpdateGroupBody>

export const MonitorGroup = Type.Object({
  ...common,
  name: Type.String(),
  description: Type.String(),
  order: Type.Integer(),
  state: oneOf(groupStates, { description: 'State of the worst monitor in the group; paused when all of them are.' }),
  monitors: Type.Object(
    { total: Type.Integer(), up: Type.Integer(), degraded: Type.Integer(), down: Type.Integer(), paused: Type.Integer() },
    { description: 'Numbers of monitors in the group that the caller may see.' }
  )
})
export type MonitorGroup = Static<typeof MonitorGroup>
export const MonitorGroupList = list(MonitorGroup)
export const GroupQuery = Type.Object(paging, closed)
