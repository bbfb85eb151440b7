/** German translation of the texts in team-marks.ts. */
import type { teamMarks } from '../team-marks.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof teamMarks> = {
  'team.label': 'Team',
  'team.none': 'Ganzer Arbeitsbereich',
  'team.deleted': 'Gelöschtes Team',
  'team.private': 'Privat',
  'team.any': 'Jedes Team',
  'select.private_hint': 'Nur Mitglieder von {name}, Owner und Admins sehen es und seine Vorfälle.',
  'select.open_hint': 'Alle im Arbeitsbereich sehen es.'
}
