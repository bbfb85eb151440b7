/**
 * Limits that are not counted above, and what the plan includes. A figure that is not the plan's
 * own says where it comes from.
 */
import { Check, Minus } from 'lucide-react'
import type { Limits } from '../../api/shapes.ts'
import { figure as digits } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { limitsText } from '../../texts/limits.ts'
import classes from './AllLimits.module.css'
import { planName } from './plan.ts'

type Limit = Limits['limits'][number]

const figure = ({ limit, unit, available }: Limit): string => {
  if (!available) return limitsText('limits.planned')
  if (limit === null) return limitsText('more.unlimited')
  return unit === 'count' ? digits(limit) : `${digits(limit)} ${unit.replace('count per', 'a')}`
}

function originOf(limit: Limit): string | null {
  const { origin, plan_limit } = limit
  if (origin === 'plan' || !limit.available) return null
  if (plan_limit === null) return limitsText(origin === 'override' ? 'more.override_none' : 'more.floor_none')
  return limitsText(origin === 'override' ? 'more.override' : 'more.floor', { count: digits(plan_limit) })
}

/** `counted`: keys of the limits that are shown elsewhere, with their usage. */
export function AllLimits({ limits: { plan, limits, capabilities }, counted }: { limits: Limits; counted: readonly string[] }) {
  return (
    <>
      <Section title={limitsText('more.title', { plan: planName(plan) })}>
        <dl className={classes.list}>
          {limits
            .filter(({ key }) => !counted.includes(key))
            .map((limit) => (
              <div key={limit.key} data-missing={!limit.available || undefined}>
                <dt>{limit.description}</dt>
                <dd>
                  {figure(limit)}
                  {originOf(limit) && <small>{originOf(limit)}</small>}
                </dd>
              </div>
            ))}
        </dl>
      </Section>
      <Section title={limitsText('plan.title', { plan: planName(plan) })}>
        <dl className={classes.list}>
          {capabilities.map(({ key, description, included, available }) => (
            <div key={key} data-missing={!included || !available || undefined}>
              <dt>{description}</dt>
              <dd>
                {included && available ? <Check size={15} aria-hidden /> : <Minus size={15} aria-hidden />}
                {limitsText(available ? (included ? 'plan.included' : 'plan.not_included') : 'limits.planned')}
              </dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  )
}
