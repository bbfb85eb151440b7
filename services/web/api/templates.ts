/** Queries and actions for message templates, with a preview of the message. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { MessageTemplate, NewTemplate, TemplateChange, TemplateSample } from './shapes.ts'

const PER_PAGE = 200

export const templatesQuery = (page = 1) =>
  queryOptions({
    queryKey: ['templates', 'list', page],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/notifications/templates', { params: { query: { page, per_page: PER_PAGE } }, signal }))
  })

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: ['templates', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/templates/{id}', { params: { path: { id } }, signal }))
  })

/** A change applies only if the version is still the one that its author saw. */
const ofSeen = ({ id, version }: Pick<MessageTemplate, 'id' | 'version'>) => ({
  params: { path: { id } },
  headers: { 'if-match': `"${version}"` }
})

export const createTemplate = (body: NewTemplate) => take(client.POST('/api/v1/notifications/templates', { body }))
export const changeTemplate = (template: Pick<MessageTemplate, 'id' | 'version'>, body: TemplateChange) =>
  take(client.PATCH('/api/v1/notifications/templates/{id}', { ...ofSeen(template), body }))
export const resetTemplate = (template: Pick<MessageTemplate, 'id' | 'version'>) =>
  take(client.DELETE('/api/v1/notifications/templates/{id}', ofSeen(template)))

/** null: there is nothing to preview yet. */
export const templatePreviewQuery = (sample: TemplateSample | null) =>
  queryOptions({
    queryKey: ['templates', 'preview', sample],
    queryFn: ({ signal }) => take(client.POST('/api/v1/notifications/templates/preview', { body: sample ?? { event: 'down' }, signal })),
    enabled: sample !== null,
    retry: false
  })
