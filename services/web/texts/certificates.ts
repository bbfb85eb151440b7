/** Texts of the list of certificates. */
import { textsOf } from './text.ts'

export const certificates = {
  'page.title': 'Certificates',
  'page.how': 'What the checks of your monitors saw last. People are notified once at each threshold of a monitor.',
  'answer.unknown': 'Certificates',
  'answer.nothing': 'No certificate seen yet',
  'answer.none': 'No certificate expires within 30 days',
  'answer.one': '1 certificate expires within 30 days',
  'answer.some': '{count} certificates expire within 30 days',
  'filter.name': 'Filter by name or address',
  'filter.name_hint': 'Name or address',
  'filter.ends': 'Ends',
  'filter.any': 'Any expiry',
  'filter.days': 'Within {days} days',
  'filter.none': 'No certificate matches these filters',
  'filter.all': 'Show all of them',
  'list.empty': 'Monitor an address that has one',
  'list.empty_hint': 'A certificate appears here after the first check of an https address, or of any type over TLS.',
  'list.create': 'New monitor',
  'row.ended': 'Has expired',
  'row.today': 'Less than a day left',
  'row.day': '1 day left',
  'row.days': '{days} days left',
  'row.for': 'For {host}',
  'row.until': 'Valid until',
  'row.issuer': 'Issued by {issuer}',
  'row.issuer_unknown': 'The issuer is not known',
  'row.untrusted': 'Its chain is not trusted',
  'row.paused': 'Its monitor is paused: seen',
  'row.told': 'Notified at {days} days',
  'row.told_day': 'Notified at 1 day',
  'row.told_end': 'Notified that it has expired',
  'row.off': 'Nobody is notified when it expires'
} as const

export const certificatesText = textsOf(certificates, 'certificates')
