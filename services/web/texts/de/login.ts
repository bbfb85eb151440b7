/** German translation of the texts in login.ts. */
import type { login } from '../login.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof login> = {
  'login.title': 'Anmelden',
  'login.email': 'E-Mail',
  'login.password': 'Passwort',
  'login.remember': 'Auf diesem Gerät angemeldet bleiben',
  'login.hint': 'Bei einer lokalen Installation steht die erste Anmeldung in `access.json` im Datenordner.',
  'invite.title': 'Einladung',
  'invite.gone': 'Diese Einladung gilt nicht mehr',
  'invite.gone_hint': 'Sie wurde schon angenommen oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie um eine neue Einladung.',
  'invite.join_of': '{workspace} beitreten',
  'invite.as': 'Ihre Rolle: {role}.',
  'invite.ends': 'Die Einladung endet {at}.',
  'invite.name': 'Ihr Name',
  'invite.your_password': 'Ihr Passwort',
  'invite.new_password': 'Neues Passwort',
  'invite.your_password_hint': 'Sie haben schon ein Konto mit dieser E-Mail-Adresse. Geben Sie dessen Passwort ein.',
  'invite.new_password_hint': '{count} Zeichen oder mehr',
  'invite.join': 'Beitreten'
}
