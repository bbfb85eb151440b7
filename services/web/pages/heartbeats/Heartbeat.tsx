import { PageHead } from '../../parts/Page.tsx'

export function HeartbeatPage() {
  return <PageHead title="Heartbeat" answer="Heartbeat" />
}
