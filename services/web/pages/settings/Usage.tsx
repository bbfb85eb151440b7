/**
 * What the workspace uses of its plan, and whether its inbound alerts are all accepted.
 * Source: docs/design/specification.md#s8.
 */
import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { OctagonX } from 'lucide-react'
import type { Usage } from '../../api/shapes.ts'
import { isFull, limitsQuery, usageQuery } from '../../api/workspace.ts'
import { figure } from '../../parts/clock.ts'
import { PageHead, Section } from '../../parts/Page.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { AllLimits } from './AllLimits.tsx'
import { Arrivals } from './Arrivals.tsx'
import { Refusals } from './Refusals.tsx'
import { limitName, UsedLimits } from './UsedLimits.tsx'

export function UsagePage() {
  const asked = useQuery(usageQuery)
  const { data: usage } = asked
  const limits = useQuery(limitsQuery)
  return (
    <>
      <PageHead title="Usage and limits" answer={usage ? answerOf(usage) : 'Usage and limits'} />
      {usage ? (
        <>
          <Limited usage={usage} />
          <UsedLimits usage={usage} />
          <Arrivals ingest={usage.ingest} at={usage.at} />
        </>
      ) : (
        <Awaiting of={asked} rows={8} />
      )}
      {limits.data && (usage || asked.errorUpdateCount > 0) ? (
        <AllLimits limits={limits.data} counted={usage?.limits.map(({ key }) => key) ?? []} />
      ) : (
        limits.errorUpdateCount > 0 && (
          <Section title="Further limits of the plan">
            <Awaiting of={limits} />
          </Section>
        )
      )}
      {usage && limits.data && <Refusals />}
    </>
  )
}

function answerOf({ limits, ingest }: Usage): string {
  if (ingest.limited_since) return `Alerts are refused: more than ${figure(ingest.limit)} come in a minute`
  const full = limits.filter((limit) => limit.unit === 'count' && isFull(limit)).map(({ key }) => limitName(key))
  if (full.length > 0) return `No room for more: ${full.join(', ')}`
  return 'Everything is within its limits'
}

/** Loud, for somebody loses alerts. */
function Limited({ usage: { ingest } }: { usage: Usage }) {
  const { limited_since, limit, refused_1m, refused_1h } = ingest
  if (!limited_since) return null
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      mb="xl"
      icon={<OctagonX aria-hidden size={18} />}
      title="Requests with alerts are refused"
    >
      <p>
        Since {exact(limited_since)} (<Since at={limited_since} />) more than {figure(limit)} alerts a minute come to one door. Refused were{' '}
        {figure(refused_1m)} requests in the last minute, {figure(refused_1h)} in the last hour.
      </p>
      <p>
        Senders are answered 429 with the time to wait, and those that try again lose nothing. Group alerts at the sender, switch off what
        repeats itself, or take a plan with more.
      </p>
    </Alert>
  )
}
