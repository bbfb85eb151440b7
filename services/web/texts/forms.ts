/** Texts that several forms share. */
import { textsOf } from './text.ts'

export const forms = {
  'button.cancel': 'Cancel',
  'faults.one': 'One field is not right yet',
  'faults.some': 'Some fields are not right yet',
  'duration.number': '{label}, number',
  'duration.unit': '{label}, unit',
  'unit.seconds': 'seconds',
  'unit.minutes': 'minutes',
  'unit.hours': 'hours',
  'unit.days': 'days',
  'pairs.value': 'Value of {name} {at}',
  'pairs.remove': 'Remove {name}',
  'pairs.row': 'row {at}',
  'zone.label': 'Time zone',
  'zone.none': 'No such time zone',
  'limit.reached': 'You use {used} of {limit} {things}. Delete one, or choose a larger plan, before you create another.',
  'limit.monitors': 'monitors',
  'limit.heartbeats': 'heartbeats',
  'limit.inbound_integrations': 'integrations',
  'limit.channels': 'notification channels'
} as const

export const formsText = textsOf(forms, 'forms')
