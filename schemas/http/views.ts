/**
 * Saved views of lists: a name, and the filters of the list. Each belongs to one person.
 * Source: docs/design/api/account.md#ac-29.
 */
import { type Static, Type } from 'typebox'
import { common, Id, list, Name, oneOf } from './common.ts'

export const viewPages = ['incidents'] as const
/** Most views of one person. A longer menu helps nobody. */
export const MAX_VIEWS = 50

const Search = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { type: 'string', pattern: '^[a-z][a-z_]{0,39}$' },
  additionalProperties: { type: 'string', minLength: 1, maxLength: 500 },
  maxProperties: 30,
  description: 'Query parameters of the page address, by name.'
})

export const SavedView = Type.Object({
  ...common,
  page: oneOf(viewPages),
  name: Type.String(),
  search: Search
})
export type SavedView = Static<typeof SavedView>
export const SavedViewList = list(SavedView)

export const SaveViewBody = Type.Object(
  { page: oneOf(viewPages), name: Type.String({ ...Name, maxLength: 80 }), search: Search },
  { additionalProperties: false }
)
export type SaveViewBody = Static<typeof SaveViewBody>
export const ViewParams = Type.Object({ id: Id })
