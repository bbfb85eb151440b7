/** Texts about war rooms. */
import { textsOf } from './text.ts'

export const warRooms = {
  'room.title': 'War room',
  'room.hint': 'A Slack channel for this incident. Every change is posted there.',
  'room.hint_private': 'A private Slack channel for this incident. The person who added the app is invited and can invite others.',
  'room.in': 'Workspace',
  'room.open': 'Open a war room',
  'room.again': 'Open another',
  'room.what': 'Opening a war room',
  'room.opening': 'Opening…',
  'room.private': 'private',
  'room.failed': 'The room could not be opened: {error}',
  'room.problem': 'The room is open, but: {error}'
} as const

export const warRoomsText = textsOf(warRooms, 'war-rooms')
