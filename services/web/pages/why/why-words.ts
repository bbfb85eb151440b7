/** Why an incident or alert is there, in words. Pure: the caller provides the names. */
import type { RoutingChange } from '../../../../schemas/http/routing-words.ts'
import type { Explanation } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { whyText } from '../../texts/why.ts'
import { fieldInWords } from '../routing/field-words.ts'

export type Step = Explanation['steps'][number]
export type Held = Explanation['suppressions'][number]

export const stepOf = ({ steps }: Pick<Explanation, 'steps'>, ...rules: Step['rule'][]): Step | undefined =>
  steps.find(({ rule }) => rules.includes(rule))

const textAt = ({ values }: Step, key: string): string | null => {
  const value = values[key]
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * The step of a maintenance window that keeps this from being an incident, or (`keeps` false) of
 * one that had kept what opened it.
 */
const windowStep = ({ steps }: Pick<Explanation, 'steps'>, keeps: boolean): Step | undefined =>
  steps.find((step) => step.rule === 'maintenance' && (textAt(step, 'until') !== null) === keeps)

/** Says until when a window keeps it from being an incident; null: none does. */
export function keptInWords(explanation: Pick<Explanation, 'steps'>, timeOf: (at: string) => string): string | null {
  const step = windowStep(explanation, true)
  const until = step ? textAt(step, 'until') : null
  return until === null ? null : whyText('promote.window', { time: timeOf(until) })
}

/** Says what opened it. `nameOf` names an actor, `kind:id`; `toolOf` names a type of source. */
export function openedBy(
  explanation: Pick<Explanation, 'steps'>,
  nameOf: (actor: string) => string,
  toolOf: (type: string) => string
): string | null {
  const step = stepOf(explanation, 'signal', 'declaration', 'promotion_by_hand', 'reopening') ?? windowStep(explanation, false)
  if (!step) return null
  const name = nameOf(textAt(step, 'by') ?? '')
  if (step.rule === 'maintenance') return whyText('opened.window')
  if (step.rule === 'declaration') return whyText('opened.declared', { name })
  if (step.rule === 'promotion_by_hand') return whyText('opened.promoted', { name })
  if (step.rule === 'reopening') return whyText('opened.reopened')
  const type = textAt(step, 'source_type')
  switch (textAt(step, 'source_kind')) {
    case 'monitor':
      return whyText('opened.monitor')
    case 'heartbeat':
      return whyText('opened.heartbeat')
    case 'mass_outage':
      return whyText('opened.mass_outage')
    case 'inbound':
      return type === null ? whyText('opened.inbound') : whyText('opened.inbound_of', { type: toolOf(type) })
    default:
      return whyText('opened.other')
  }
}

/** Says whether something with the same key was there before. */
export function dedupInWords(explanation: Pick<Explanation, 'steps'>): string | null {
  const step = stepOf(explanation, 'dedup')
  // A declared incident is compared with nothing that people know of, so there is nothing to say.
  if (!step || stepOf(explanation, 'declaration')) return null
  return textAt(step, 'reopened_from') === null ? whyText('dedup.first') : whyText('dedup.again')
}

/** Whether it joined a group comes from the step's own verdict. */
export function groupInWords(explanation: Pick<Explanation, 'steps'>, by: readonly string[]): string | null {
  const step = stepOf(explanation, 'grouping')
  if (!step) return null
  const seconds = step.values.window_seconds
  const time = durationInWords(typeof seconds === 'number' ? seconds : 0)
  const values = by.length > 0 ? by.map(fieldInWords).join(', ') : whyText('group.all')
  return step.verdict.startsWith('It joined') ? whyText('group.joined', { values, time }) : whyText('group.first', { values, time })
}

export const isKept = (explanation: Pick<Explanation, 'steps'>): boolean => stepOf(explanation, 'promotion')?.values.promote === false

/**
 * Says what holds it. `timeOf` writes an instant. A rule and a silence by a pattern have a link
 * beside the words.
 */
export function heldInWords({ kind, until }: Held, timeOf: (at: string) => string): string {
  const time = until === null ? null : timeOf(until)
  switch (kind) {
    case 'silence':
      return time === null ? whyText('held.silence') : whyText('held.silence_until', { time })
    case 'matcher_silence':
      return whyText('held.pattern', { time: time ?? '' })
    case 'maintenance':
      return whyText('held.maintenance', { time: time ?? '' })
    case 'dependency':
      return whyText('held.dependency')
    case 'mass_outage':
      return whyText('held.mass_outage')
    case 'rule':
      return whyText('held.rule')
    default: {
      const of = String(kind).replaceAll('_', ' ')
      return time === null ? whyText('held.other', { kind: of }) : whyText('held.other_until', { kind: of, time })
    }
  }
}

export const changeWords: Readonly<Record<RoutingChange, string>> = {
  team: whyText('change.team'),
  promote: whyText('change.promote'),
  suppress: whyText('change.suppress'),
  severity: whyText('change.severity'),
  group: whyText('change.group'),
  priority: whyText('change.priority'),
  major: whyText('change.major'),
  labels: whyText('change.labels'),
  auto_resolve: whyText('change.auto_resolve'),
  notify_resolved: whyText('change.notify_resolved')
}

/** Says what report-only rules would have changed; null: there are none. */
export function shadowInWords(explanation: Pick<Explanation, 'steps'>): string | null {
  const shadow = stepOf(explanation, 'routing')?.shadow
  if (!shadow) return null
  if (shadow.changes.length === 0) return whyText('shadow.same')
  return whyText('section.shadow', { changes: shadow.changes.map((change) => changeWords[change]).join(', ') })
}
