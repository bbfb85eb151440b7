/** German translation of the texts in postmortems.ts. */
import type { postmortems } from '../postmortems.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof postmortems> = {
  'merge.into': 'Mit',
  'merge.hint': 'Geben Sie einen Teil des Titels ein. Nur Vorfälle desselben Teams erscheinen.',
  'merge.nothing': 'Kein Vorfall dieses Teams passt.',
  'merge.explained':
    'Die Alarme gehen in den anderen Vorfall über, und dieser wird als zusammengeführt gelöst. Über sein Ende wird niemand benachrichtigt. Das lässt sich nicht rückgängig machen.',
  'merge.explained_resolved':
    'Die Alarme erscheinen beim anderen Vorfall, und dieser verweist dorthin. Das lässt sich nicht rückgängig machen.',
  'merge.into_missing': 'Wählen Sie den Vorfall, mit dem dieser zusammengeführt wird.',
  'merge.verb': 'Zusammenführen',
  'merged.mark': 'Zusammengeführt mit {key}',
  'merged.mark_unseen': 'Mit einem anderen Vorfall zusammengeführt',
  'related.title': 'Verwandte Vorfälle',
  'related.merged': 'mit diesem zusammengeführt',
  'related.merged_into': 'dieser wurde damit zusammengeführt',
  'related.parent': 'der Vorfall, von dem dieser abhängt',
  'related.child': 'hängt von diesem ab',
  'related.outage': 'der Massenausfall, zu dem er gehört',
  'related.bundled': 'Teil dieses Massenausfalls',
  'related.reopened_from': 'der vorige',
  'related.reopened_as': 'wieder geöffnet als',
  'tags.label': 'Tags',
  'tags.hint': 'Mit der Eingabetaste fügen Sie einen Tag hinzu. Höchstens 20.',
  'tags.fact': 'Tags',
  'tags.chip': 'Tag',
  'section.title': 'Postmortem',
  'section.none': 'Noch hat niemand ein Postmortem geschrieben. Was war die Auswirkung, warum geschah es, und was wird sich ändern?',
  'section.after': 'Sie können es schreiben, wenn der Vorfall vorbei ist.',
  'section.write': 'Postmortem schreiben',
  'section.read': 'Postmortem lesen',
  'section.draft': 'Es gibt einen Entwurf.',
  'section.published': 'Das Postmortem ist veröffentlicht.'
}
