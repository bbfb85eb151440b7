/** German translation of the texts in login.ts. */
import type { login } from '../login.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof login> = {
  'login.title': 'Anmelden',
  'login.email': 'E-Mail',
  'login.password': 'Passwort',
  'login.remember': 'Auf diesem Gerät angemeldet bleiben',
  'login.hint': 'Bei einer lokalen Installation steht die erste Anmeldung in `access.json` im Datenordner.',
  'login.forgotten': 'Passwort vergessen?',
  'forgotten.title': 'Passwort vergessen?',
  'forgotten.hint':
    'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie bekommen eine E-Mail mit einem Link, mit dem Sie ein neues Passwort setzen.',
  'forgotten.send': 'Link senden',
  'forgotten.sent': 'Sehen Sie in Ihrem Postfach nach',
  'forgotten.sent_hint':
    'Wenn es ein Konto mit der Adresse {email} gibt, ist eine E-Mail mit einem Link unterwegs. Der Link gilt einmal und eine Stunde lang. Nach fünf Minuten können Sie einen weiteren anfordern.',
  'forgotten.no_mail': 'Dieser Dienst sendet keine E-Mails',
  'forgotten.no_mail_hint': 'Bitten Sie den Betreiber um einen Link, mit dem Sie ein neues Passwort setzen.',
  'new_password.title': 'Neues Passwort setzen',
  'new_password.hint': 'Das meldet Sie auf allen Geräten ab.',
  'new_password.set': 'Passwort setzen',
  'new_password.gone': 'Dieser Link gilt nicht mehr',
  'new_password.gone_hint': 'Er wurde schon benutzt, er ist älter als eine Stunde, oder das Passwort wurde seither geändert.',
  'new_password.again': 'Neuen Link senden',
  'new_password.changed': 'Ihr Passwort ist geändert',
  'new_password.changed_hint': 'Sie sind auf allen Geräten abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
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
