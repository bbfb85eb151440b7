/**
 * Search parameters in the addresses of these pages: which dialog is open, so that the back button
 * closes it.
 */
import { textOf, wordOf } from '../../search.ts'

const yes = ['yes'] as const

export const membersSearch = ({ invite }: Record<string, unknown>): { invite?: 'yes' } => (wordOf(invite, yes) ? { invite: 'yes' } : {})

export const teamsSearch = ({ create }: Record<string, unknown>): { create?: 'yes' } => (wordOf(create, yes) ? { create: 'yes' } : {})

/** `add` opens the dialog that adds a member. */
export const teamSearch = ({ add }: Record<string, unknown>): { add?: 'yes' } => (wordOf(add, yes) ? { add: 'yes' } : {})

/** `edit` is a location's id. */
export const locationsSearch = ({ create, edit }: Record<string, unknown>): { create?: 'yes'; edit?: string } => {
  if (wordOf(create, yes)) return { create: 'yes' }
  const id = textOf(edit)
  return id ? { edit: id } : {}
}

/** `edit` is a token's id. */
export const tokensSearch = ({ create, edit }: Record<string, unknown>): { create?: 'yes'; edit?: string } => {
  if (wordOf(create, yes)) return { create: 'yes' }
  const id = textOf(edit)
  return id ? { edit: id } : {}
}
