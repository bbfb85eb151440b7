/** German translation of the texts in checks.ts. */

import type { checks } from '../checks.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof checks> = {
  'phases.label': 'Wo die Zeit blieb',
  'phases.none': 'keine',
  'phase.dns': 'DNS',
  'phase.connect': 'Verbinden',
  'phase.tls': 'TLS',
  'phase.request': 'Anfrage',
  'phase.ttfb': 'Erstes Byte',
  'phase.download': 'Herunterladen',
  'try.title': 'Ausprobieren',
  'try.hint': 'Jede Region prüft einmal mit diesen Einstellungen. Es wird nichts gespeichert und nichts aufgezeichnet.',
  'try.verb': 'Ausprobieren',
  'try.again': 'Noch einmal ausprobieren',
  'try.list': 'Antworten der Regionen',
  'try.waits': 'Prüft…',
  'try.refused': 'Nicht gefragt',
  'try.silent': 'Keine Antwort',
  'try.status': 'Status {status}',
  'try.bytes': '{count} Bytes',
  'try.answered': '{count} von {all} haben geantwortet',
  'try.nowhere': 'Zurzeit ist keine Region online, die das prüfen kann.',
  'try.certificate': 'Zertifikat von {issuer}, gültig bis {date}',
  'try.untrusted': 'Der Zertifikatskette wird nicht vertraut',
  'try.redirects': 'Weitergeleitet an {addresses}'
}
