/** Why a monitor has its status: the steps of the decision, in words. */
import { useQuery } from '@tanstack/react-query'
import { monitorExplainQuery } from '../../api/explain.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { monitorsText } from '../../texts/monitors.ts'
import classes from './Monitor.module.css'
import { stepInWords } from './why-words.ts'

export function WhyStatus({ monitor }: { monitor: Monitor }) {
  const asked = useQuery(monitorExplainQuery(monitor.id))
  const { data } = asked
  return (
    <Section title={monitorsText('why.title')}>
      {data ? (
        <ul className={classes.plain}>
          {data.steps.map((step) => (
            <li key={step.n}>{stepInWords(step, monitor)}</li>
          ))}
        </ul>
      ) : (
        <Awaiting of={asked} rows={3} />
      )}
    </Section>
  )
}
