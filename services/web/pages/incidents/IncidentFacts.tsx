/** What is known about an incident: where it comes from, how it is told from others, when. */

import { Link } from '@tanstack/react-router'
import { useNames } from '../../api/names.ts'
import type { Incident } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Labels, Links } from '../../parts/Labels.tsx'
import { Facts, type FactsProps, LONG } from '../../parts/Page.tsx'
import { RuleLink, RuleLinks } from '../../parts/Rules.tsx'
import { dayTime, durationInWords, exact } from '../../parts/Since.tsx'
import { SourceLink } from '../../parts/Source.tsx'
import { postmortemsText } from '../../texts/postmortems.ts'
import { rulesText } from '../../texts/rules.ts'
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
  const { time_to_ack_seconds, time_to_resolve_seconds } = incident
  return (
    <Facts
      facts={[
        title.length > LONG ? ['Title', title] : null,
        ['Source', <SourceLink key="source" of={incident} />],
        assignee_id === null ? null : ['Assigned to', nameOf(`user:${assignee_id}`)],
        priority === null ? null : ['Priority', priority],
        affected_regions.length === 0 ? null : ['Affected regions', affected_regions.join(', ')],
        ['Began', <At key="began" at={started_at} />],
        ['Detected', <At key="detected" at={detected_at} />],
        ['Opened', <At key="opened" at={opened_at} />],
        time_to_ack_seconds === null ? null : ['Acknowledged after', durationInWords(time_to_ack_seconds)],
        time_to_resolve_seconds === null ? null : ['Resolved after', durationInWords(time_to_resolve_seconds)],
        resolution === null ? null : ['Ended by', endings[resolution.reason] ?? resolution.reason],
        reopened_from === null
          ? null
          : [
              'Opened again after',
              <Link key="before" to="/incidents/$id" params={{ id: reopened_from }}>
                the one before
              </Link>
            ],
        ...ruleFacts(matched_rule_ids, suppressed_by_rule_id),
        tags.length === 0 ? null : [postmortemsText('tags.fact'), <Tags key="tags" tags={tags} />],
        Object.keys(labels).length === 0 ? null : ['Labels', <Labels key="labels" labels={labels} />],
        links.length === 0 ? null : ['Links', <Links key="links" links={links} />],
        ['Dedup key', <Copyable key="dedup" text={dedup_key} what="the dedup key" />]
      ]}
    />
  )
}

/** By which routing rules it was decided, and which says to tell nobody. */
export const ruleFacts = (matched: readonly string[], suppressed_by: string | null): FactsProps['facts'] => [
  matched.length === 0 ? null : [rulesText('fact.decided_by'), <RuleLinks key="rules" ids={matched} />],
  suppressed_by === null ? null : [rulesText('fact.suppressed'), <RuleLink key="rule" id={suppressed_by} />]
]

/** `resolution.reason` → by what it ended. */
export const endings: Readonly<Record<string, string>> = {
  recovered: 'its recovery',
  user: 'a person',
  api: 'the API',
  closed: 'closing it by hand',
  monitor_deleted: 'deleting what it watched',
  auto_timeout: 'the integration’s time limit',
  merged: 'merging it into another'
}
