/**
 * Why a person sees an incident or an alert: what opened it, which rules decided, to which group it
 * belongs, and what holds it. Words first; records, versions and keys are behind "Details".
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isGone } from '../../api/client.ts'
import { type Explained, explainQuery } from '../../api/explain.ts'
import { useNames } from '../../api/names.ts'
import { rulesQuery } from '../../api/routing.ts'
import type { Explanation } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { RuleLink, RuleLinks } from '../../parts/Rules.tsx'
import { dayTime, exact } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { whyText } from '../../texts/why.ts'
import { TraceList } from '../routing/Trial.tsx'
import classes from './Why.module.css'
import { dedupInWords, groupInWords, type Held, heldInWords, isKept, openedBy, shadowInWords, stepOf } from './why-words.ts'

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
  const rules = useQuery(rulesQuery).data?.items ?? []
  const routing = stepOf(explanation, 'routing')
  const matched = idsAt(routing?.values.matched_rule_ids)
  const grouping = stepOf(explanation, 'grouping')
  const by = rules.find(({ id }) => id === grouping?.values.rule_id)?.actions.group?.by ?? []
  const trace = routing?.trace ?? []
  const decided = matched.length > 0 ? null : routing?.trace ? whyText('rules.default') : whyText('rules.none')
  const lines: [string, ReactNode][] = [
    ['opened', openedBy(explanation, nameOf)],
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
    ['kept', isKept(explanation) ? whyText('promote.never') : null],
    ...explanation.suppressions.map((held): [string, ReactNode] => [`held ${held.kind} ${held.id}`, <HeldBy key="held" held={held} />]),
    ['shadow', shadowInWords(explanation)]
  ]
  return (
    <>
      <ul className={classes.words}>{lines.map(([key, words]) => words !== null && <li key={key}>{words}</li>)}</ul>
      {trace.length > 0 && (
        <details className={classes.folded}>
          <summary>
            <b>{whyText('section.trace')}</b>
            <span>{trace.length === 1 ? whyText('trace.count_one') : whyText('trace.count', { count: trace.length })}</span>
          </summary>
          <TraceList trace={trace} byDefault={matched.length === 0} />
        </details>
      )}
      <details className={classes.folded}>
        <summary>
          <b>{whyText('section.details')}</b>
          <span>{whyText('details.summary')}</span>
        </summary>
        <Details explanation={explanation} />
      </details>
    </>
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

function Details({ explanation }: { explanation: Explanation }) {
  const { steps, at, engine_version, tzdb_version, trace_hash } = explanation
  const record = steps.flatMap(({ inputs }) => inputs)[0]
  const configs = steps.flatMap(({ config_refs }) => config_refs)
  const routing = configs.find(({ type }) => type === 'routing')
  const others = configs.filter(({ type }) => type !== 'routing')
  const key = stepOf(explanation, 'dedup')?.values.dedup_key
  return (
    <Facts
      facts={[
        [
          whyText('details.decided'),
          <time key="at" dateTime={at} title={exact(at)}>
            {dayTime(at)}
          </time>
        ],
        record === undefined
          ? null
          : [
              whyText('details.record'),
              <Copyable key="record" text={`${record.topic}:${record.partition}:${record.offset}`} what={whyText('details.record')} />
            ],
        routing === undefined ? null : [whyText('details.rules'), routing.version],
        [whyText('details.engine'), engine_version],
        tzdb_version === null ? null : [whyText('details.tzdb'), tzdb_version],
        others.length === 0 ? null : [whyText('details.config'), others.map(({ type, version }) => `${type} ${version}`).join(', ')],
        typeof key === 'string' ? [whyText('details.key'), <Copyable key="key" text={key} what={whyText('details.key')} />] : null,
        [whyText('details.hash'), <Copyable key="hash" text={trace_hash.slice(0, 16)} what={whyText('details.hash')} />]
      ]}
    />
  )
}
