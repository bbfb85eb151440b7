/** Texts of the overview. */
import { textsOf } from './text.ts'

export const overview = {
  'overview.title': 'On call now',
  'overview.none': 'Nobody: there is no schedule yet that says who is asked when something breaks.',
  'overview.first': 'Make the first schedule',
  'overview.all': 'All {count}',
  'overview.nobody': 'Nobody',
  'overview.until': 'until {time}',
  'overview.silenced': 'Silenced until {time}',
  'incidents.all': 'The worst {shown} of {total}; see all',
  'monitors.title': 'Monitors',
  'monitors.none': 'No site is watched',
  'monitors.first': 'Watch a site',
  'monitors.none_hint': 'A monitor asks a URL from several regions, and only their majority opens an incident.',
  'monitors.more': '{count} more are not up',
  'heartbeats.missing': 'missing for',
  'hour.title': 'Arrived in the last hour',
  'hour.none': 'No tool reported anything.',
  'hour.all': 'All alerts'
} as const

export const overviewText = textsOf(overview)
