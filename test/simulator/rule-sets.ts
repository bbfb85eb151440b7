/** Rules and silences of a history: as the service stores them, and which of them are in force. */
import type { Condition, StoredRule } from '../../schemas/http/routing-words.ts'
import type { Silence as StoredSilence } from '../../streams/routing/silences.ts'
import type { Code } from './code.ts'
import { idOf } from './log.ts'
import type { IncidentModel } from './model/incident.ts'
import type { Rule, Silence } from './model/routing.ts'
import type { Operation } from './operations.ts'
import type { Rows } from './rows.ts'
import { tenants } from './targets.ts'

const namespace = '0190cccc-0000-7000-8000-000000000001'

export const teamOf = (n: number | null): string | null => (n === null ? null : idOf(namespace, `team ${n}`))
export const ruleIdOf = (id: number): string => idOf(namespace, `rule ${id}`)
export const silenceIdOf = (id: number): string => `0190cccd-0000-7000-8000-${String(id).padStart(12, '0')}`

export function storedRule({ id, keys, kind, goes_on, team, severity, promote, suppress, group }: Rule): StoredRule {
  const all: Condition[] = []
  if (keys) all.push({ field: 'label.n', op: 'in', value: keys.map(String) })
  if (kind) all.push({ field: 'source.kind', op: 'eq', value: kind })
  return {
    id: ruleIdOf(id),
    name: `rule ${id}`,
    description: '',
    enabled: true,
    mode: 'live',
    match: { all, any: [], none: [] },
    time_window: null,
    actions: {
      ...(team !== null && { team_id: teamOf(team) ?? '' }),
      ...(severity && { severity }),
      ...(promote && { promote }),
      ...(suppress !== null && { suppress }),
      ...(group && { group: { by: [group.by], window_seconds: group.window_seconds, max_alerts: group.max_alerts } })
    },
    continue: goes_on,
    expires_at: null,
    ver: 1,
    created_at: 0,
    updated_at: 0
  }
}

export function storedSilence({ id, of, from, until, over }: Silence): StoredSilence {
  const matcher: Condition =
    'severity' in of
      ? { field: 'severity', op: 'eq', value: of.severity }
      : 'key' in of
        ? { field: 'label.n', op: 'eq', value: String(of.key) }
        : { field: 'team_id', op: 'eq', value: teamOf(of.team) ?? '' }
  return { silence_id: silenceIdOf(id), matchers: [matcher], starts_at: from, ends_at: until, expired_at: over ? from : null }
}

/** The settings of workspaces, for the folds and for the model. */
export class Settings {
  readonly #code: Code
  readonly #rows: Rows
  readonly #model: IncidentModel
  readonly #silences: (Silence & { tenant_id: string })[] = []
  #versions = 1

  constructor(code: Code, rows: Rows, model: IncidentModel) {
    this.#code = code
    this.#rows = rows
    this.#model = model
  }

  /** A workspace has other rules or silences from Postgres's time `now` on. */
  change(operation: Extract<Operation, { op: 'rules' | 'silence' | 'end silence' }>, now: number): void {
    if (operation.op === 'rules') {
      const tenant_id = tenants[operation.tenant]
      this.#rows.rules.set(tenant_id, this.#code.routing.compile(++this.#versions, operation.rules.map(storedRule)))
      this.#model.rules.set(tenant_id, operation.rules)
      return
    }
    if (operation.op === 'silence') {
      const { of, from, until } = operation
      const id = this.#silences.length
      this.#silences.push({ id, of, from: now + from, until: now + until, over: false, tenant_id: tenants[operation.tenant] })
    } else {
      const silence = this.#silences.at(-1 - (operation.nth % Math.max(1, this.#silences.length)))
      if (silence) silence.over = true
    }
    for (const tenant_id of tenants)
      this.#rows.silences.set(tenant_id, this.#code.silences.compileSilences(this.silencesOf(tenant_id).map(storedSilence), []))
  }

  silencesOf(tenant_id: string): Silence[] {
    return this.#silences.filter((silence) => silence.tenant_id === tenant_id)
  }
}
