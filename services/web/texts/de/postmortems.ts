/** German of postmortems.ts. */
import type { postmortems } from '../postmortems.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof postmortems> = {
  'merge.title': 'Vereinen',
  'merge.into': 'Mit',
  'merge.hint': 'Geben Sie einen Teil des Titels ein. Nur Vorfälle desselben Teams erscheinen.',
  'merge.nothing': 'Es gibt keinen solchen Vorfall dieses Teams.',
  'merge.explained':
    'Die Alarme gehen im anderen Vorfall weiter, und dieser wird als vereint gelöst. Niemand wird über sein Ende benachrichtigt. Das lässt sich nicht zurücknehmen.',
  'merge.explained_resolved': 'Die Alarme erscheinen beim anderen Vorfall, und dieser verweist dorthin. Das lässt sich nicht zurücknehmen.',
  'merge.into_missing': 'Wählen Sie den Vorfall, der übernimmt.',
  'merge.verb': 'Vereinen',
  'merged.mark': 'Vereint mit {key}',
  'merged.mark_unseen': 'Vereint mit einem anderen Vorfall',
  'related.title': 'Verwandt',
  'related.merged': 'mit diesem vereint',
  'related.merged_into': 'hat diesen übernommen',
  'related.parent': 'von dem, wovon es abhängt',
  'related.child': 'hängt von diesem ab',
  'related.outage': 'der Massenausfall, zu dem er gehört',
  'related.bundled': 'gehört dazu',
  'related.reopened_from': 'der vorige',
  'related.reopened_as': 'wieder geöffnet als',
  'tags.label': 'Tags',
  'tags.hint': 'Die Eingabetaste fügt einen hinzu. Höchstens 20.',
  'tags.fact': 'Tags',
  'tags.chip': 'Tag',
  'section.title': 'Postmortem',
  'section.none': 'Noch hat niemand eines geschrieben: Was war die Auswirkung, warum geschah es, was ändert sich?',
  'section.after': 'Es wird geschrieben, wenn der Vorfall vorbei ist.',
  'section.write': 'Postmortem schreiben',
  'section.read': 'Lesen',
  'section.draft': 'Es gibt einen Entwurf.',
  'section.published': 'Es ist veröffentlicht.'
}
