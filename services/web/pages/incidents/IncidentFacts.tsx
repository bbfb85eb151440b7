/**
 * The facts of an incident: where it comes from, when it happened, and the key that tells it from
 * others.
 */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { monitorQuery } from '../../api/lists.ts'
import { useNames } from '../../api/names.ts'
import type { Incident } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Labels, Links } from '../../parts/Labels.tsx'
import { Facts, type FactsProps, LONG } from '../../parts/Page.tsx'
import { RuleLink, RuleLinks } from '../../parts/Rules.tsx'
import { dayTime, durationInWords, exact } from '../../parts/Since.tsx'
import { SourceLink } from '../../parts/Source.tsx'
import { incidentCauseText } from '../../texts/incident-cause.ts'
import { incidentPageText } from '../../texts/incident-page.ts'
import { postmortemsText } from '../../texts/postmortems.ts'
import { rulesText } from '../../texts/rules.ts'
import { regionsInWords } from './cause-words.ts'
import { Tags } from './Tags.tsx'

export const At = ({ at }: { at: string }) => (
  <time dateTime={at} title={exact(at)}>
    {dayTime(at)}
  </time>
)

export function IncidentFacts({ incident }: { incident: Incident }) {
  const nameOf = useNames()
  const {
    title,
    dedup_key,
    affected_regions,
    labels,
    links,
    tags,
    priority,
    started_at,
    detected_at,
    opened_at,
    assignee_id,
    resolution,
    reopened_from,
    matched_rule_ids,
    suppressed_by_rule_id
  } = incident
  const { monitor_id, time_to_ack_seconds, time_to_resolve_seconds } = incident
  // The monitor knows the labels of its regions.
  const { data: monitor } = useQuery({ ...monitorQuery(monitor_id ?? ''), enabled: monitor_id !== null && affected_regions.length > 0 })
  return (
    <Facts
      facts={[
        title.length > LONG ? [incidentPageText('fact.title'), title] : null,
        [incidentPageText('fact.source'), <SourceLink key="source" of={incident} />],
        assignee_id === null ? null : [incidentPageText('fact.assigned'), nameOf(`user:${assignee_id}`)],
        priority === null ? null : [incidentPageText('fact.priority'), priority],
        affected_regions.length === 0 ? null : [incidentPageText('fact.regions'), regionsInWords(affected_regions, monitor)],
        [incidentPageText('fact.began'), <At key="began" at={started_at} />],
        [incidentPageText('fact.detected'), <At key="detected" at={detected_at} />],
        [incidentPageText('fact.opened'), <At key="opened" at={opened_at} />],
        time_to_ack_seconds === null ? null : [incidentPageText('fact.acknowledged_after'), durationInWords(time_to_ack_seconds)],
        time_to_resolve_seconds === null ? null : [incidentPageText('fact.resolved_after'), durationInWords(time_to_resolve_seconds)],
        resolution === null ? null : [incidentPageText('fact.ended_by'), endingInWords(resolution)],
        reopened_from === null
          ? null
          : [
              incidentPageText('fact.before'),
              <Link key="before" to="/incidents/$id" params={{ id: reopened_from }}>
                {incidentPageText('fact.before_link')}
              </Link>
            ],
        ...ruleFacts(matched_rule_ids, suppressed_by_rule_id),
        tags.length === 0 ? null : [postmortemsText('tags.fact'), <Tags key="tags" tags={tags} />],
        Object.keys(labels).length === 0 ? null : [incidentPageText('fact.labels'), <Labels key="labels" labels={labels} />],
        links.length === 0 ? null : [incidentPageText('fact.links'), <Links key="links" links={links} />],
        [incidentPageText('fact.key'), <Copyable key="dedup" text={dedup_key} what={incidentPageText('fact.key_what')} />]
      ]}
    />
  )
}

/** The routing rules that decided about it, and the rule that says to notify nobody. */
export const ruleFacts = (matched: readonly string[], suppressed_by: string | null): FactsProps['facts'] => [
  matched.length === 0 ? null : [rulesText('fact.decided_by'), <RuleLinks key="rules" ids={matched} />],
  suppressed_by === null ? null : [rulesText('fact.suppressed'), <RuleLink key="rule" id={suppressed_by} />]
]

const reasons = ['recovered', 'user', 'api', 'closed', 'monitor_deleted', 'auto_timeout', 'merged'] as const

/**
 * Returns what ended the incident. A reason that only a newer server version knows is shown as it
 * is.
 */
export function endingInWords({ reason }: { reason: string }): string {
  const known = reasons.find((one) => one === reason)
  return known ? incidentCauseText(`ended.${known}`) : reason
}
