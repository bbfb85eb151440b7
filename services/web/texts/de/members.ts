/** German translation of the texts in members.ts. */
import type { members } from '../members.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof members> = {
  'page.title': 'Mitglieder',
  'page.invite': 'Person einladen',
  'page.may_not': 'Nur Owner und Admins des Arbeitsbereichs können Personen einladen und Rollen ändern.',
  'page.full':
    'Alle {count} Plätze des Tarifs sind vergeben. Offene Einladungen zählen mit. Entfernen Sie ein Mitglied oder ziehen Sie eine Einladung zurück.',
  'answer.one': '1 Person',
  'answer.people': '{count} Personen',
  'answer.invited': '{people}, {count} eingeladen',
  'row.seen': 'Zuletzt da {at}',
  'row.never': 'Nie angemeldet',
  'row.last_owner': 'Einziger Owner. Ernennen Sie einen weiteren, bevor Sie diesen entfernen.',
  'row.change_role': 'Rolle ändern',
  'row.change_role_of': 'Rolle ändern: {name}',
  'row.leave': 'Verlassen',
  'row.leave_of': '{workspace} verlassen',
  'row.leave_question': '{workspace} verlassen?',
  'row.leave_hint':
    'Ihre Sitzungen und API-Tokens dieses Arbeitsbereichs enden binnen 5 s. Ihre offenen Einladungen werden zurückgezogen. Was Sie erstellt haben, bleibt.',
  'row.remove': 'Entfernen',
  'row.remove_of': '{name} entfernen',
  'row.remove_question': '{name} entfernen?',
  'row.remove_hint':
    'Die Sitzungen und API-Tokens dieser Person in diesem Arbeitsbereich enden binnen 5 s. Ihre offenen Einladungen werden zurückgezogen. Was sie erstellt hat, bleibt.',
  'row.removed': '{name} ist kein Mitglied mehr',
  'role.label': 'Rolle',
  'role.title': 'Die Rolle von {name}',
  'role.verb': 'Rolle ändern',
  'role.changed': '{name} hat jetzt die Rolle {role}',
  'invites.title': 'Eingeladen',
  'invites.by': 'Eingeladen von {name}',
  'invites.expired': 'Abgelaufen {at}',
  'invites.expires': 'Läuft ab {at}',
  'invites.withdraw': 'Zurückziehen',
  'invites.withdraw_of': 'Einladung für {email} zurückziehen',
  'invites.question': 'Einladung für {email} zurückziehen?',
  'invites.explained': 'Der Link der Einladung gilt dann nicht mehr. Sie können die Person wieder einladen.',
  'invites.withdrawn': 'Die Einladung für {email} ist zurückgezogen',
  'invite.title': 'Person einladen',
  'invite.made': 'Die Einladung für {email}',
  'invite.email': 'E-Mail',
  'invite.verb': 'Einladung erstellen',
  'invite.hand_over':
    'Senden Sie diesen Link an {email}. Wer ihn zuerst öffnet, tritt mit der Rolle {role} bei. Der Link ist nur jetzt zu sehen, gilt einmal und endet {at}.',
  'invite.link': 'Link der Einladung',
  'invite.done': 'Fertig'
}
