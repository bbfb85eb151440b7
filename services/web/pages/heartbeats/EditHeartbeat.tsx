import { PageHead } from '../../parts/Page.tsx'

export function EditHeartbeat() {
  return <PageHead title="EditHeartbeat" answer="EditHeartbeat" />
}
