/**
 * Templates: the texts of a workspace's messages.
 * Source: docs/design/api/notifications.md#templates.
 */
import { type Static, Type } from 'typebox'
import { common, list, nullable, oneOf, paging } from './common.ts'
import { channelEvents, channelKinds } from './notification-words.ts'
import { MAX_TEMPLATE_BYTES, MAX_TEMPLATE_TITLE } from './template-words.ts'

const closed = { additionalProperties: false } as const

const kind = nullable(oneOf(channelKinds, { description: 'null when the template is for every kind that has no template of its own.' }))
const event = oneOf(channelEvents)
/** The texts of a template. */
export const texts = {
  title: Type.Unsafe<string | null>({
    ...nullable(Type.String({ minLength: 1, maxLength: MAX_TEMPLATE_TITLE, pattern: '\\S' })),
    description: "One line; null when the service's own words are used."
  }),
  body: Type.Unsafe<string | null>({
    ...nullable(Type.String({ minLength: 1, maxLength: MAX_TEMPLATE_BYTES, pattern: '\\S' })),
    description: `At most ${MAX_TEMPLATE_BYTES} bytes of UTF-8. null: the service's own words.`
  })
}
const given = { title: Type.Optional(texts.title), body: Type.Optional(texts.body) }

export const CreateTemplateBody = Type.Object({ kind: Type.Optional(kind), event, ...given }, closed)
export type CreateTemplateBody = Static<typeof CreateTemplateBody>

export const UpdateTemplateBody = Type.Object(given, closed)
export type UpdateTemplateBody = Static<typeof UpdateTemplateBody>

export const TemplateQuery = Type.Object(
  { ...paging, kind: Type.Optional(oneOf(channelKinds)), event: Type.Optional(oneOf(channelEvents)) },
  closed
)

export const TemplateDetail = Type.Object({
  ...common,
  kind,
  event,
  ...texts,
  created_by: Type.String({ description: 'Who created the template, as kind:id, for example user:<id>.' })
})
export type TemplateDetail = Static<typeof TemplateDetail>
export const TemplateList = list(TemplateDetail)

export const PreviewTemplateBody = Type.Object({ event, ...given }, closed)
export type PreviewTemplateBody = Static<typeof PreviewTemplateBody>

export const TemplatePreview = Type.Object({
  title: Type.String({ description: 'Title with the word in brackets before it. Text messages and calls contain only the title.' }),
  body: Type.String()
})
export type TemplatePreview = Static<typeof TemplatePreview>
