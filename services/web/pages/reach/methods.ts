/** What is sent to the API of contact methods, and of the settings beside them. Pure. */
import type { ContactMethod, Preferences, PreferencesChange } from '../../api/shapes.ts'
import { differing } from '../../forms/differing.ts'

type Given = NonNullable<PreferencesChange['contact_methods']>

/** What people cannot set here is not sent: nobody has such a method yet. */
export const kept = ({ id, kind, address }: ContactMethod): Given => [{ id, kind, address }]

export type Rules = Preferences['rules']['default']
export type Wishes = Pick<Preferences, 'rules' | 'quiet_hours' | 'digest' | 'shift_reminders_minutes' | 'handoff_summary'>

/** Returns the rules without those whose method is gone. */
export const rulesOf = (rules: Rules, methods: readonly ContactMethod[]): Rules =>
  rules.filter(({ method_id }) => methods.some(({ id }) => id === method_id))

/**
 * Returns what the person changed, as a change of the newest preferences. Each order of methods
 * counts by itself.
 */
export function changeOf(before: Wishes, values: Wishes, now: Preferences): PreferencesChange {
  const { rules, ...others } = differing(before, values)
  if (!rules) return others
  const changed = differing(before.rules, values.rules)
  const order = (urgency: 'default' | 'high'): Rules => rulesOf(changed[urgency] ?? now.rules[urgency], now.contact_methods)
  return { ...others, rules: { default: order('default'), high: order('high') } }
}
