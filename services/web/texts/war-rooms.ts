/** Texts about war rooms. */
import { textsOf } from './text.ts'

export const warRooms = {
  title: 'War room',
  hint: 'A room in Slack for this incident: what happens is told there.',
  'hint.private': 'A private room in Slack for this incident: who added the app is invited, and invites others.',
  in: 'In',
  open: 'Open a war room',
  again: 'Open another',
  what: 'Opening a war room',
  opening: 'It is being opened…',
  private: 'private',
  failed: 'It could not be opened: {error}',
  problem: 'It is open, but: {error}'
} as const

export const warRoomsText = textsOf(warRooms)
