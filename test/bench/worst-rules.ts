/** The worst sets of rules that may be saved: each reaches one limit. */
import { type Condition, MAX_COMPARED, MAX_SET_CONDITIONS, MAX_SET_STEPS, type StoredRule } from '../../schemas/http/routing-words.ts'
import { costOf } from '../../streams/routing/budget.ts'

export const rule = (at: number, match: Partial<StoredRule['match']>, over: Partial<StoredRule> = {}): StoredRule => ({
  id: `01890000-0000-7000-8000-${String(at).padStart(12, '0')}`,
  name: `rule ${at}`,
  description: '',
  enabled: true,
  mode: 'live',
  match: { all: [], any: [], none: [], ...match },
  time_window: null,
  actions: { priority: 'P2', labels_add: { owner: `team-${at}` } },
  continue: false,
  expires_at: null,
  ver: 1,
  created_at: 0,
  updated_at: 0,
  ...over
})

/**
 * As many conditions as are allowed, all of them evaluated: in each rule every condition holds
 * except the last.
 */
export function everyCondition(): StoredRule[] {
  const holds: Condition = { field: 'label.env', op: 'not_in', value: ['test', 'dev'] }
  const fails: Condition = { field: 'label.service', op: 'len_gt', value: 500 }
  return Array.from({ length: Math.floor(MAX_SET_CONDITIONS / 30) }, (_, at) =>
    rule(at, { all: [...Array<Condition>(29).fill(holds), fails] })
  )
}
/** Expressions over the description up to the budget, which keep many states and match nothing. */
export function everyStep(): StoredRule[] {
  const rules: StoredRule[] = []
  for (let at = 0; ; at++) {
    rules.push(rule(at, { all: [{ field: 'description', op: 'matches', value: `(?:a|b)*a(?:a|b){100}(?:c|d)${at}` }] }))
    const { steps } = costOf(rules)
    if (steps > MAX_SET_STEPS) return rules.slice(0, -1)
  }
}
/** Text searches in the description up to the budget, for texts that almost occur. */
export const everySearch = (): StoredRule[] =>
  Array.from({ length: Math.floor(MAX_SET_STEPS / MAX_COMPARED) }, (_, at) =>
    rule(at, { all: [{ field: 'description', op: 'contains', value: `${'a'.repeat(4)}${at % 10}` }] })
  )

/** A description that makes the expressions of `everyStep` keep as many states as they can. */
export const hostileText = (length = MAX_COMPARED): string => {
  let seed = 7
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed < 1_073_741_824 ? 'a' : 'b'
  }).join('')
}
