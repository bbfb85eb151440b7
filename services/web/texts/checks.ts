/** Texts about a single check, either recorded or only tried out. */
import { textsOf } from './text.ts'

export const checks = {
  'phases.label': 'Where the time went',
  'phases.none': 'none',
  'phase.dns': 'DNS',
  'phase.connect': 'Connect',
  'phase.tls': 'TLS',
  'phase.request': 'Request',
  'phase.ttfb': 'First byte',
  'phase.download': 'Download',
  'try.title': 'Try it',
  'try.hint': 'Each region checks it once, as it stands here. Nothing is saved, and nothing is recorded.',
  'try.verb': 'Try it',
  'try.again': 'Try it again',
  'try.list': 'Answers of the regions',
  'try.waits': 'Checking…',
  'try.refused': 'Not asked',
  'try.silent': 'No answer',
  'try.status': 'Status {status}',
  'try.bytes': '{count} bytes',
  'try.answered': '{count} of {all} answered',
  'try.nowhere': 'No region that is online can check it now.',
  'try.certificate': 'Certificate of {issuer}, valid until {date}',
  'try.untrusted': 'Its chain is not trusted',
  'try.redirects': 'Sent on to {addresses}'
} as const

export const checksText = textsOf(checks, 'checks')
