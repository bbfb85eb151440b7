/**
 * The cost of a set of rules, known before it is saved. An evaluation is limited by counts, never
 * by time. Pure: computed from the stored rules.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import { type Condition, conditionGroups, MAX_COMPARED, type StoredRule } from '../../schemas/http/routing-words.ts'
import { MAX_INCIDENT_LABEL_VALUE, MAX_INCIDENT_REGION, MAX_INCIDENT_SOURCE_TYPE, MAX_INCIDENT_TITLE } from '../../schemas/limits.ts'
import { expandedNodes } from '../../schemas/safe-regex.ts'

/** Running totals over a set, including the current condition or rule. */
export interface Cost {
  conditions: number
  /** Distinct expressions; the same one on two fields counts twice. */
  expressions: number
  /** Parts (nodes) of the distinct expressions. */
  nodes: number
  /** Upper limit of the characters that text searches read; for expressions, times their nodes. */
  steps: number
}

/** Maximum number of characters of the text that a condition on this field reads. */
function longest(field: string): number {
  if (field === 'title') return MAX_INCIDENT_TITLE
  if (field === 'source.type') return MAX_INCIDENT_SOURCE_TYPE
  if (field === 'region') return MAX_INCIDENT_REGION
  if (field === 'description') return MAX_COMPARED
  return field.startsWith('label.') ? MAX_INCIDENT_LABEL_VALUE : MAX_INCIDENT_REGION
}

const isExpression = ({ op }: Condition): boolean => op === 'matches' || op === 'not_matches'
const isSearch = ({ op }: Condition): boolean => op === 'contains' || op === 'not_contains'

export class CostMeter {
  readonly cost: Cost = { conditions: 0, expressions: 0, nodes: 0, steps: 0 }
  readonly #seen = new Set<string>()
  readonly #sources = new Set<string>()

  /**
   * Adds a condition of any rule. Disabled rules count, too, because a rule can be enabled without
   * sending its conditions again.
   */
  add(condition: Condition): void {
    const { field, value } = condition
    this.cost.conditions += 1
    if (isSearch(condition)) this.cost.steps += longest(field)
    if (!isExpression(condition) || typeof value !== 'string') return
    const nodes = expandedNodes(value) ?? 0
    // Each rule that has an expression searches for it once.
    this.cost.steps += nodes * longest(field)
    if (!this.#seen.has(`${field}\u0000${value}`)) {
      this.#seen.add(`${field}\u0000${value}`)
      this.cost.expressions += 1
    }
    if (this.#sources.has(value)) return
    this.#sources.add(value)
    this.cost.nodes += nodes
  }
}

/** Returns the cost of a whole set of rules. */
export function costOf(rules: readonly Pick<StoredRule, 'match'>[]): Cost {
  const meter = new CostMeter()
  for (const { match } of rules) for (const group of conditionGroups) for (const condition of match[group]) meter.add(condition)
  return meter.cost
}
