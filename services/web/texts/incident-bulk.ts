/** Texts of what is done to several incidents at once. */
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
  'bulk.silence_hint': 'Nobody is notified of them meanwhile. They stay in the list, and recover by themselves.',
  'bulk.silence_for': 'For how long',
  'bulk.close_title': 'Close {incidents}',
  'bulk.close_verb': 'Close',
  'bulk.close_hint': 'They are resolved and marked as closed by you. Nothing new opens for them until they have recovered.',
  'bulk.acknowledges': 'Acknowledge them, too',
  'bulk.resolve_title': 'Resolve {incidents}',
  'bulk.assign_title': 'Assign {incidents}',
  'bulk.hand_back_title': 'Hand back {incidents}',
  'bulk.resolve_verb': 'Resolve',
  'bulk.assign_verb': 'Assign',
  'bulk.hand_back_verb': 'Hand back',
  'bulk.hand_back_hint': 'The acknowledgements are taken back: the incidents wait for somebody again.',
  'bulk.reason': 'Reason',
  'bulk.reason_hint': 'Stands in each timeline. Optional.',
  'bulk.member': 'Member',
  'bulk.nobody': 'Nobody',
  'bulk.refused': 'Acting on the selected incidents'
} as const

export const incidentBulkText = textsOf(incidentBulk)
