import { PageHead } from '../../parts/Page.tsx'

export function MonitorPage() {
  return <PageHead title="Monitor" answer="Monitor" />
}
