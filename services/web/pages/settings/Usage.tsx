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
import { Around, HERE } from '../../parts/Said.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { limitsText } from '../../texts/limits.ts'
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
      <PageHead title={limitsText('page.title')} answer={usage ? answerOf(usage) : limitsText('page.title')} />
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
          <Section title={limitsText('more.unknown_plan')}>
            <Awaiting of={limits} />
          </Section>
        )
      )}
      {usage && limits.data && <Refusals />}
    </>
  )
}

function answerOf({ limits, ingest }: Usage): string {
  if (ingest.limited_since) return limitsText('answer.limited', { count: figure(ingest.limit) })
  // What the plan does not include is not used up.
  const full = limits.filter((limit) => limit.unit === 'count' && limit.limit !== 0 && isFull(limit)).map(({ key }) => limitName(key))
  if (full.length > 0) return limitsText('answer.full', { things: full.join(', ') })
  return limitsText('answer.fine')
}

/** Shown prominently, because somebody loses alerts. */
function Limited({ usage: { ingest } }: { usage: Usage }) {
  const { limited_since, limit, refused_1m, refused_1h } = ingest
  if (!limited_since) return null
  return (
    <Alert role="alert" color="red" variant="light" mb="xl" icon={<OctagonX aria-hidden size={18} />} title={limitsText('limited.title')}>
      <p>
        <Around
          text={limitsText('limited.since', {
            time: exact(limited_since),
            ago: HERE,
            count: figure(limit),
            minute: figure(refused_1m),
            hour: figure(refused_1h)
          })}
        >
          <Since at={limited_since} />
        </Around>
      </p>
      <p>{limitsText('limited.hint')}</p>
    </Alert>
  )
}
