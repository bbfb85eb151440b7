/**
 * The facts of an alert: where it comes from, when it happened, and the key that tells it from
 * others.
 */
import { Link } from '@tanstack/react-router'
import { useToolName } from '../../api/integrations.ts'
import type { Alert } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Labels, Links } from '../../parts/Labels.tsx'
import { Facts } from '../../parts/Page.tsx'
import { SourceLink } from '../../parts/Source.tsx'
import { alertsText } from '../../texts/alerts.ts'
import { routingText } from '../../texts/routing.ts'
import { rulesText } from '../../texts/rules.ts'
import { At, endingInWords, ruleFacts } from '../incidents/IncidentFacts.tsx'

export function AlertFacts({ alert }: { alert: Alert }) {
  const { dedup_key, affected_regions, labels, links, priority, started_at, detected_at, opened_at, promoted_at } = alert
  const toolOf = useToolName()
  const { id, resolution, reopened_from, source, matched_rule_ids, suppressed_by } = alert
  return (
    <Facts
      facts={[
        [alertsText('fact.source'), <SourceLink key="source" of={alert} />],
        source.type === null ? null : [alertsText('fact.source_type'), toolOf(source.type)],
        priority === null ? null : [alertsText('fact.priority'), priority],
        affected_regions.length === 0 ? null : [alertsText('fact.regions'), affected_regions.join(', ')],
        [alertsText('fact.began'), <At key="began" at={started_at} />],
        [alertsText('fact.detected'), <At key="detected" at={detected_at} />],
        [alertsText('fact.opened'), <At key="opened" at={opened_at} />],
        promoted_at === null || promoted_at === opened_at ? null : [alertsText('fact.promoted'), <At key="promoted" at={promoted_at} />],
        resolution === null ? null : [alertsText('fact.ended_by'), endingInWords(resolution)],
        reopened_from === null
          ? null
          : [
              alertsText('fact.before'),
              <Link key="before" to="/alerts/$id" params={{ id: reopened_from }}>
                {alertsText('fact.before_link')}
              </Link>
            ],
        ...ruleFacts(matched_rule_ids, suppressed_by?.kind === 'rule' ? suppressed_by.id : null),
        Object.keys(labels).length === 0 ? null : [alertsText('fact.labels'), <Labels key="labels" labels={labels} />],
        links.length === 0 ? null : [alertsText('fact.links'), <Links key="links" links={links} />],
        [
          routingText('page.title'),
          <Link key="try" to="/settings/routing/try" search={{ alert: id }}>
            {rulesText('fact.try')}
          </Link>
        ],
        [alertsText('fact.key'), <Copyable key="dedup" text={dedup_key} what={alertsText('fact.key_what')} />]
      ]}
    />
  )
}
