/** Texts about war rooms. */
import { textsOf } from './text.ts'

export const warRooms = {
  'room.title': 'War room',
  'room.hint': 'A room in Slack for this incident: what happens is told there.',
  'room.hint_private': 'A private room in Slack for this incident: who added the app is invited, and invites others.',
  'room.in': 'In',
  'room.open': 'Open a war room',
  'room.again': 'Open another',
  'room.what': 'Opening a war room',
  'room.opening': 'It is being opened…',
  'room.private': 'private',
  'room.failed': 'It could not be opened: {error}',
  'room.problem': 'It is open, but: {error}'
} as const

export const warRoomsText = textsOf(warRooms)
