/** Texts of bulk actions on incidents. */
import { textsOf } from './text.ts'

export const incidentBulk = {
  'bulk.label': 'What to do with the selected incidents',
  'bulk.acknowledge': 'Acknowledge',
  'bulk.resolve': 'Resolve…',
  'bulk.assign': 'Assign…',
  'bulk.hand_back': 'Hand back…',
  'bulk.silence': 'Silence…',
  'bulk.close': 'Close…',
  'bulk.silence_title': 'Silence {incidents}',
  'bulk.silence_verb': 'Silence',
  'bulk.silence_hint': 'Nobody is notified about them during this time. They stay in the list and can recover on their own.',
  'bulk.silence_for': 'For how long',
  'bulk.close_title': 'Close {incidents}',
  'bulk.close_verb': 'Close',
  'bulk.close_hint': 'They are resolved and marked as closed by you. No new incidents open for them until they recover or get worse.',
  'bulk.acknowledges': 'Also acknowledge them',
  'bulk.resolve_title': 'Resolve {incidents}',
  'bulk.assign_title': 'Assign {incidents}',
  'bulk.hand_back_title': 'Hand back {incidents}',
  'bulk.resolve_verb': 'Resolve',
  'bulk.assign_verb': 'Assign',
  'bulk.hand_back_verb': 'Hand back',
  'bulk.hand_back_hint': 'The incidents are no longer acknowledged and need someone again.',
  'bulk.reason': 'Reason',
  'bulk.reason_hint': 'Appears in each timeline. Optional.',
  'bulk.member': 'Member',
  'bulk.nobody': 'Nobody',
  'bulk.refused': 'Acting on the selected incidents',
  'bulk.incident': '1 incident',
  'bulk.incidents': '{count} incidents'
} as const

export const incidentBulkText = textsOf(incidentBulk, 'incident-bulk')
