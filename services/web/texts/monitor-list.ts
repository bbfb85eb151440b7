/** Texts of the list of monitors. */
import { textsOf } from './text.ts'

export const monitorList = {
  'list.title': 'Monitors',
  'list.new': 'New monitor',
  'list.certificates': 'Certificates',
  'list.read_only': 'Your role can only view monitors. Editors, admins and owners can add them.',
  'list.paused': '{count} paused',
  'list.all_paused': '{monitors} paused',
  'list.nothing_checked': 'Nothing is checked',
  'empty.answer': 'Nothing is monitored yet',
  'empty.title': 'Monitor your first URL',
  'empty.hint': 'Enter an http or https URL. The service checks it every minute from several regions and notifies you when it is down.',
  'none.title': 'No monitor matches these filters',
  'none.all': 'Show all {count}',
  'column.status': 'Status',
  'column.monitor': 'Monitor',
  'column.strip': 'Last 24 hours',
  'column.spark': 'Speed',
  'column.uptime': 'Uptime 30 d',
  'column.response': 'Response',
  'column.last': 'Last check',
  'filter.q': 'Filter by name or address',
  'filter.q_hint': 'Name or address',
  'filter.tag': 'Tag',
  'filter.any_tag': 'Any tag',
  'filter.region': 'Region',
  'filter.any_region': 'Any region',
  'filter.status': 'Status',
  'sort.label': 'Order',
  'sort.worst': 'Worst first',
  'sort.name': 'By name',
  'sort.since': 'Changed last'
} as const

export const monitorListText = textsOf(monitorList, 'monitor-list')
