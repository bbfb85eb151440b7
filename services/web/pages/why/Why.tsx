/**
 * Why a person sees an incident or an alert: what opened it, which rules decided, to which group it
 * belongs, and what holds it. Words come first; records, versions and keys are in "Details".
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { isGone } from '../../api/client.ts'
import { type Explained, explainQuery } from '../../api/explain.ts'
import { useToolName } from '../../api/integrations.ts'
import { useNames } from '../../api/names.ts'
import { rulesQuery } from '../../api/routing.ts'
import type { Explanation } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { RuleLink, RuleLinks } from '../../parts/Rules.tsx'
import { dayTime } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { whyText } from '../../texts/why.ts'
import classes from './Why.module.css'
import { dedupInWords, groupInWords, type Held, heldInWords, isKept, keptInWords, openedBy, shadowInWords, stepOf } from './why-words.ts'

const TraceList = lazyPart(() => import('../routing/Trial.tsx').then((loaded) => loaded.TraceList))
const WhyDetails = lazyPart(() => import('./WhyDetails.tsx').then((loaded) => loaded.WhyDetails))

export function Why({ kind, id }: { kind: Explained; id: string }) {
  const asked = useQuery(explainQuery(kind, id))
  const { data, error } = asked
  return (
    <Section title={whyText('section.title')}>
      {data ? <Words explanation={data} /> : isGone(error) ? <p>{whyText('section.missing')}</p> : <Awaiting of={asked} rows={3} />}
    </Section>
  )
}

const idsAt = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

function Words({ explanation }: { explanation: Explanation }) {
  const nameOf = useNames()
  const toolOf = useToolName()
  const rules = useQuery(rulesQuery).data?.items ?? []
  const routing = stepOf(explanation, 'routing')
  const matched = idsAt(routing?.values.matched_rule_ids)
  const grouping = stepOf(explanation, 'grouping')
  const by = rules.find(({ id }) => id === grouping?.values.rule_id)?.actions.group?.by ?? []
  const trace = routing?.trace ?? []
  const decided = matched.length > 0 ? null : routing?.trace ? whyText('rules.default') : whyText('rules.none')
  const lines: [string, ReactNode][] = [
    ['opened', openedBy(explanation, nameOf, toolOf)],
    ['dedup', dedupInWords(explanation)],
    [
      'rules',
      decided ?? (
        <>
          {whyText('rules.matched')} <RuleLinks ids={matched} />
        </>
      )
    ],
    ['group', groupInWords(explanation, by)],
    ['kept', isKept(explanation) ? whyText('promote.never') : keptInWords(explanation, dayTime)],
    ...explanation.suppressions.map((held): [string, ReactNode] => [`held ${held.kind} ${held.id}`, <HeldBy key="held" held={held} />]),
    ['shadow', shadowInWords(explanation)]
  ]
  return (
    <>
      <ul className={classes.words}>{lines.map(([key, words]) => words !== null && <li key={key}>{words}</li>)}</ul>
      {trace.length > 0 && (
        <Folded
          title={whyText('section.trace')}
          summary={trace.length === 1 ? whyText('trace.count_one') : whyText('trace.count', { count: trace.length })}
        >
          <TraceList trace={trace} byDefault={matched.length === 0} />
        </Folded>
      )}
      <Folded title={whyText('section.details')} summary={whyText('details.summary')}>
        <WhyDetails explanation={explanation} />
      </Folded>
    </>
  )
}

/** The folded content loads when it is first unfolded. */
function Folded({ title, summary, children }: { title: string; summary: string; children: ReactNode }) {
  const [wanted, setWanted] = useState(false)
  return (
    <details className={classes.folded} onToggle={(event) => event.currentTarget.open && setWanted(true)}>
      <summary>
        <b>{title}</b>
        <span>{summary}</span>
      </summary>
      {wanted && <Suspense>{children}</Suspense>}
    </details>
  )
}

function HeldBy({ held }: { held: Held }) {
  const words = heldInWords(held, dayTime)
  if (held.id === null) return words
  if (held.kind === 'rule')
    return (
      <>
        {words} <RuleLink id={held.id} />
      </>
    )
  if (held.kind === 'dependency')
    return (
      <>
        {words}{' '}
        <Link to="/monitors/$id" params={{ id: held.id }}>
          {whyText('held.dependency_link')}
        </Link>
      </>
    )
  if (held.kind === 'mass_outage')
    return (
      <>
        {words}{' '}
        <Link to="/incidents/$id" params={{ id: held.id }}>
          {whyText('held.mass_outage_link')}
        </Link>
      </>
    )
  if (held.kind === 'maintenance')
    return (
      <>
        {words}{' '}
        <Link to="/maintenance/$id" params={{ id: held.id }}>
          {whyText('held.maintenance_link')}
        </Link>
      </>
    )
  if (held.kind !== 'matcher_silence') return words
  return (
    <>
      {words}{' '}
      <Link to="/silences/$id" params={{ id: held.id }}>
        {whyText('held.pattern_link')}
      </Link>
    </>
  )
}
