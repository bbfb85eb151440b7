import type { RuleSet } from '../../streams/routing/rules.ts'
import type { Tx } from './pool.ts'
export async function loadRuleSets(_tx: Tx, _tenant_ids: readonly string[]): Promise<Map<string, RuleSet>> {
  return new Map()
}
