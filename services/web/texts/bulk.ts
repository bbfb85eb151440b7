/** Texts of bulk actions: they act on several selected items of any list at once. */
import { textsOf } from './text.ts'

export const bulk = {
  'bulk.select': 'Select',
  'bulk.select_done': 'Done',
  'bulk.one': 'Select {name}',
  'bulk.all': 'Select all on this page',
  'bulk.none': 'Nothing selected',
  'bulk.count': '{count} selected',
  'bulk.clear': 'Clear',
  'bulk.changed': '{count} changed',
  'bulk.partly': '{count} changed, {failed} not: {reasons}',
  'bulk.failed': 'None changed: {reasons}',
  'bulk.dismiss': 'Dismiss'
} as const

export const bulkText = textsOf(bulk, 'bulk')
