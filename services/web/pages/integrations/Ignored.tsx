/**
 * Deliveries that neither opened nor changed anything, counted by reason. They are counted even
 * when capture is off.
 */
import type { Integration } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { integrationsText } from '../../texts/integrations.ts'
import classes from './Deliveries.module.css'

export function Ignored({ integration: { ignored } }: { integration: Integration }) {
  if (ignored.length === 0) return null
  return (
    <Section title={integrationsText('ignored.title')}>
      <p className={classes.hint}>{integrationsText('ignored.hint')}</p>
      <Facts
        facts={ignored.map(({ reason, deliveries, last_at }) => [
          reason,
          <span key={reason}>
            {integrationsText('ignored.times', { count: figure(deliveries) })}, <Since at={last_at} />
          </span>
        ])}
      />
    </Section>
  )
}
