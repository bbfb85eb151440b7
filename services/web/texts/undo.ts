/** Texts about changes to incidents that can be undone for a while. */
import { textsOf } from './text.ts'

export const undo = {
  'done.acknowledge': '{what} acknowledged',
  'done.silence': '{what} silenced',
  'done.assign': '{what} assigned',
  'done.take': '{what} acknowledged and assigned',
  'done.edit': '{what} changed',
  'done.some': '{count} incidents',
  'undo.verb': 'Undo',
  'undo.done': 'Undone',
  'undo.partly': 'Some changes were not undone: {reasons}',
  'undo.refused': 'Undoing'
} as const

export const undoText = textsOf(undo, 'undo')
