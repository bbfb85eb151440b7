import { PageHead } from '../../parts/Page.tsx'

export function EditMonitor() {
  return <PageHead title="EditMonitor" answer="EditMonitor" />
}
