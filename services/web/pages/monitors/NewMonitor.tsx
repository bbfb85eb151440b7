import { PageHead } from '../../parts/Page.tsx'

export function NewMonitor() {
  return <PageHead title="NewMonitor" answer="NewMonitor" />
}
