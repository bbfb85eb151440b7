/** Every limit in force and every capability, each with where it comes from. */
import { Check, Minus } from 'lucide-react'
import type { Limits } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import classes from './AllLimits.module.css'
import { planName } from './plan.ts'

type Limit = Limits['limits'][number]

const figure = ({ limit, unit }: Limit): string => {
  if (limit === null) return 'Unlimited'
  return unit === 'count' ? limit.toLocaleString('en') : `${limit.toLocaleString('en')} ${unit.replace('count per', 'a')}`
}

function originOf({ origin, plan_limit }: Limit): string {
  if (origin === 'plan') return 'Plan'
  const by = `the plan says ${plan_limit === null ? 'unlimited' : plan_limit.toLocaleString('en')}`
  return origin === 'override' ? `Raised by the operator; ${by}` : `The least that every workspace has; ${by}`
}

export function AllLimits({ limits: { plan, limits, capabilities } }: { limits: Limits }) {
  return (
    <Section title={`All of the ${planName(plan)} plan`}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">In force</th>
            <th scope="col">Comes from</th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={limit.key}>
              <th scope="row">{limit.description}</th>
              <td>{figure(limit)}</td>
              <td className={classes.origin}>{originOf(limit)}</td>
            </tr>
          ))}
          {capabilities.map(({ key, description, included }) => (
            <tr key={key}>
              <th scope="row">{description}</th>
              <td>
                <span className={classes.included}>
                  {included ? <Check size={15} aria-hidden /> : <Minus size={15} aria-hidden />}
                  {included ? 'Included' : 'Not included'}
                </span>
              </td>
              <td className={classes.origin}>Plan</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
