/**
 * The lower half of a monitor's page: the results of its regions, why it has its state, its checks
 * and changes, its certificate, its settings.
 */
import type { Monitor } from '../../api/shapes.ts'
import { Checks } from './Checks.tsx'
import { Regions } from './Regions.tsx'
import { Certificate, Settings } from './Settings.tsx'
import { StatusChanges } from './StatusChanges.tsx'
import { WhyStatus } from './WhyStatus.tsx'

export function Details({ monitor }: { monitor: Monitor }) {
  return (
    <>
      <Regions monitor={monitor} />
      <WhyStatus monitor={monitor} />
      <Checks monitor={monitor} />
      <StatusChanges monitor={monitor} />
      {monitor.certificate && <Certificate certificate={monitor.certificate} />}
      <Settings monitor={monitor} />
    </>
  )
}
