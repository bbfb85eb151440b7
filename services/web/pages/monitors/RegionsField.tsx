/**
 * Where a monitor is checked from: regions, or none of them, and the service picks. What the plan
 * does not list, or is offline, says so.
 */
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { regionsQuery } from '../../api/monitors.ts'
import { accountQuery } from '../../api/session.ts'
import type { Account, Region } from '../../api/shapes.ts'
import classes from './MonitorForm.module.css'

/** From the least to the most. */
const plans = ['free', 'pro', 'business', 'enterprise'] as const satisfies readonly Account['plan'][]

const rank = (plan: string): number => plans.map(String).indexOf(plan)

function wordsOf({ online, plan_min }: Region, listed: boolean): string | undefined {
  if (!listed) return `From the plan ${plan_min} on`
  return online ? undefined : 'Offline just now: it checks when it is back'
}

interface RegionsFieldProps {
  chosen: string[]
  onChange: (regions: string[]) => void
  error: string | undefined
}

export function RegionsField({ chosen, onChange, error }: RegionsFieldProps) {
  const { data } = useQuery(regionsQuery)
  const { data: account } = useQuery(accountQuery)
  const most = account?.entitlements.regions_per_monitor ?? null
  const hint = chosen.length === 0 ? 'None chosen: the service picks up to three' : `${chosen.length} chosen`
  return (
    <Checkbox.Group
      label="Regions"
      description={`${hint}${most === null ? '' : `; at most ${most} on the plan ${account?.plan}`}`}
      value={chosen}
      onChange={onChange}
      error={error}
    >
      <div className={classes.regions}>
        {(data?.items ?? []).map((region) => {
          const listed = !account || rank(region.plan_min) <= rank(account.plan)
          return (
            <Checkbox
              key={region.code}
              value={region.code}
              label={`${region.label} (${region.country})`}
              description={wordsOf(region, listed)}
              disabled={!chosen.includes(region.code) && (!listed || (most !== null && chosen.length >= most))}
            />
          )
        })}
      </div>
    </Checkbox.Group>
  )
}
