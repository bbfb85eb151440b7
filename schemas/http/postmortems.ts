/**
 * Postmortems: what people write about an incident after it is over.
 * Source: docs/design/api/incidents.md#in-17.
 */
import { type Static, Type } from 'typebox'
import { MAX_INCIDENT_TITLE, MAX_URL } from '../limits.ts'
import { common, Id, Instant, Name, nullable, oneOf } from './common.ts'
import { datePattern, httpUrlPattern } from './patterns.ts'

export const MAX_POSTMORTEM_TEXT = 50_000
export const MAX_ACTION_ITEMS = 50
export const MAX_TIMELINE_REFS = 100

export const postmortemStatuses = ['draft', 'published'] as const

const Text = Type.String({ maxLength: MAX_POSTMORTEM_TEXT, description: 'Markdown' })

const ActionItem = Type.Object(
  {
    title: Type.String({ ...Name, maxLength: MAX_INCIDENT_TITLE }),
    owner_id: nullable(Type.Unsafe<string>({ ...Id, description: 'A member of the workspace.' })),
    due_on: nullable(Type.String({ pattern: datePattern, description: 'YYYY-MM-DD' })),
    done: Type.Boolean(),
    link: nullable(Type.String({ minLength: 1, maxLength: MAX_URL, pattern: httpUrlPattern }))
  },
  { additionalProperties: false }
)
export type ActionItem = Static<typeof ActionItem>

const refs = Type.Array(Id, { maxItems: MAX_TIMELINE_REFS, description: 'Ids of items of the timeline of the incident.' })

export const PostmortemBody = Type.Object(
  {
    status: Type.Optional(oneOf(postmortemStatuses, { default: 'draft' })),
    impact: Type.Optional(Text),
    root_cause: Type.Optional(Text),
    detection: Type.Optional(Text),
    resolution: Type.Optional(Text),
    lessons: Type.Optional(Text),
    action_items: Type.Optional(
      Type.Array(
        Type.Object(
          {
            title: ActionItem.properties.title,
            owner_id: Type.Optional(ActionItem.properties.owner_id),
            due_on: Type.Optional(ActionItem.properties.due_on),
            done: Type.Optional(ActionItem.properties.done),
            link: Type.Optional(ActionItem.properties.link),
            owner_name: Type.Optional(nullable(Type.String({ maxLength: 1000, description: 'As in the answer; not read.' })))
          },
          { additionalProperties: false }
        ),
        { maxItems: MAX_ACTION_ITEMS }
      )
    ),
    timeline_refs: Type.Optional(refs)
  },
  { additionalProperties: false }
)

export const Postmortem = Type.Object({
  ...common,
  incident_id: Id,
  status: oneOf(postmortemStatuses),
  impact: Text,
  root_cause: Text,
  detection: Text,
  resolution: Text,
  lessons: Text,
  action_items: Type.Array(Type.Object({ ...ActionItem.properties, owner_name: nullable(Type.String()) })),
  timeline_refs: refs,
  published_at: nullable(Instant),
  created_by: Type.String({ description: 'Who created the postmortem, as kind:id.' }),
  updated_by: Type.String({ description: 'Who last changed the postmortem, as kind:id.' }),
  updated_by_name: nullable(Type.String({ description: 'Name of the person, or of the owner of the token; null when they have left.' }))
})
export type Postmortem = Static<typeof Postmortem>

export const PostmortemQuery = Type.Object(
  { format: Type.Optional(oneOf(['json', 'md'], { default: 'json', description: 'md: returns one Markdown document.' })) },
  { additionalProperties: false }
)
