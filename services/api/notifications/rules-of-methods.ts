/** Removes contact methods that no longer exist from a person's rules. Pure. */
import { noWishes, type Wishes } from '../../../schemas/http/notification-preferences.ts'

/** Returns the wishes without methods that `isKept` refuses; null: no rule names such a method. */
export function withoutMethods(body: Partial<Wishes>, isKept: (method_id: string) => boolean): Wishes | null {
  const wishes = { ...noWishes, ...body }
  const left = (rules: Wishes['rules']['default']) => rules.filter(({ method_id }) => isKept(method_id.toLowerCase()))
  const rules = { default: left(wishes.rules.default), high: left(wishes.rules.high) }
  const isSame = rules.default.length === wishes.rules.default.length && rules.high.length === wishes.rules.high.length
  return isSame ? null : { ...wishes, rules }
}
