/** German translation of the texts in monitor-groups.ts. */
import type { monitorGroups } from '../monitor-groups.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof monitorGroups> = {
  'groups.title': 'Gruppen von Monitoren',
  'groups.verb': 'Gruppen',
  'groups.back': 'Monitore',
  'groups.answer_one': '1 Gruppe',
  'groups.answer': '{count} Gruppen',
  'groups.answer_bad': '{bad} von {count} Gruppen brauchen einen Blick',
  'groups.none': 'Zusammenhalten, was zusammengehört',
  'groups.none_hint':
    'Die Liste der Monitore lässt sich nach Gruppen sortieren. Jede Gruppe zeigt den Zustand ihres schlechtesten Monitors. Legen Sie eine Gruppe an, wählen Sie dann Monitore in der Liste aus und verschieben Sie sie dorthin.',
  'groups.create': 'Neue Gruppe',
  'groups.read_only': 'Ihre Rolle kann Gruppen nur ansehen. Editoren, Admins und Inhaber können sie ändern.',
  'groups.edit': 'Bearbeiten',
  'groups.delete': 'Löschen',
  'groups.delete_question': 'Die Gruppe {name} löschen?',
  'groups.delete_hint': 'Ihre Monitore bleiben. Sie sind danach in keiner Gruppe.',
  'groups.delete_verb': 'Gruppe löschen',
  'groups.deleted': 'Die Gruppe {name} ist gelöscht',
  'groups.saved': 'Die Gruppe {name} ist gespeichert',
  'group.name': 'Name',
  'group.description': 'Beschreibung',
  'group.order': 'Platz in der Liste',
  'group.order_hint': 'Gruppen mit kleinerer Zahl stehen weiter oben, solche mit gleicher nach ihrem Namen',
  'group.create_title': 'Neue Gruppe',
  'group.edit_title': '{name} bearbeiten',
  'group.delete_title': '{name} löschen',
  'group.create_verb': 'Gruppe anlegen',
  'group.save_verb': 'Speichern',
  'group.label': 'Gruppe',
  'group.any': 'Alle Gruppen',
  'group.no_group': 'Keine Gruppe',
  'group.empty': 'In dieser Gruppe ist kein Monitor',
  'group.empty_hint':
    'Wählen Sie Monitore in der Liste aus und dann „In eine Gruppe verschieben“, oder wählen Sie die Gruppe beim Bearbeiten eines Monitors.',
  'group.all': 'Alle Monitore zeigen',
  'group.answer': '{name}: {words}',
  'group.paused': 'alle pausiert',
  'group.nothing': 'keine Monitore',
  'sort.group': 'Nach Gruppe',
  'state.empty': 'Leer',
  'count.none': 'Keine Monitore',
  'count.down': '{count} ausgefallen',
  'count.degraded': '{count} beeinträchtigt',
  'count.paused': '{count} pausiert'
}
