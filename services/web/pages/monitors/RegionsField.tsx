/**
 * Where a monitor is checked from: the chosen regions and private locations. If none is chosen, the
 * service picks among the regions. A region that the plan does not include, or that is offline,
 * says so.
 */
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { regionsQuery } from '../../api/monitors.ts'
import { accountQuery } from '../../api/session.ts'
import type { Account, Region } from '../../api/shapes.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { planName } from '../settings/plan.ts'
import classes from './MonitorForm.module.css'

/** From the smallest plan to the largest. */
const plans = ['free', 'pro', 'business', 'enterprise'] as const satisfies readonly Account['plan'][]

const rank = (plan: string): number => plans.map(String).indexOf(plan)

function wordsOf({ online, plan_min, kind }: Region, listed: boolean, able: boolean): string | undefined {
  if (kind === 'private' && online && able) return monitorFormText('region.private')
  if (!listed) return monitorFormText('region.plan', { plan: plan_min })
  if (!online) return monitorFormText('region.offline')
  return able ? undefined : monitorFormText('region.unable')
}

interface RegionsFieldProps {
  /** Type of the check. An online region whose probers cannot run it is not offered. */
  type: string
  chosen: string[]
  onChange: (regions: string[]) => void
  error: string | undefined
}

export function RegionsField({ type, chosen, onChange, error }: RegionsFieldProps) {
  const { data } = useQuery(regionsQuery)
  const { data: account } = useQuery(accountQuery)
  const most = account?.entitlements.regions_per_monitor ?? null
  const hint = chosen.length === 0 ? monitorFormText('regions.none') : monitorFormText('regions.chosen', { count: chosen.length })
  return (
    <Checkbox.Group
      label={monitorFormText('regions.label')}
      description={most === null || !account ? hint : monitorFormText('regions.most', { hint, most, plan: planName(account.plan) })}
      value={chosen}
      onChange={onChange}
      error={error}
    >
      <div className={classes.regions}>
        {(data?.items ?? []).map((region) => {
          const listed = !account || rank(region.plan_min) <= rank(account.plan)
          const able = !region.online || region.types.includes(type)
          return (
            <Checkbox
              key={region.code}
              value={region.code}
              label={region.country === null ? region.label : `${region.label} (${region.country})`}
              description={wordsOf(region, listed, able)}
              disabled={!chosen.includes(region.code) && (!listed || !able || (most !== null && chosen.length >= most))}
            />
          )
        })}
      </div>
    </Checkbox.Group>
  )
}
