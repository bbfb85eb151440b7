/** German translation of the texts in policy-choice.ts. */
import type { policyChoice } from '../policy-choice.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof policyChoice> = {
  'choice.label': 'Eskalationsplan',
  'choice.none': 'Keiner: Niemand wird gefragt',
  'choice.gone': 'Einer, den es nicht mehr gibt oder den Sie nicht sehen',
  'choice.workspace_title': 'Wer zu einem Vorfall gefragt wird',
  'choice.workspace': 'Standard-Eskalationsplan',
  'choice.workspace_hint': 'Gilt, wenn keine Regel, keine Quelle und kein Team einen anderen wählt.',
  'choice.team_none': 'Standard des Arbeitsbereichs',
  'choice.team_hint': 'Für Vorfälle des Teams, wenn keine Regel und keine Quelle einen anderen wählt.',
  'choice.all': 'Eskalationspläne'
}
