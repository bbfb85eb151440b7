import { PageHead } from '../../parts/Page.tsx'

export function Heartbeats() {
  return <PageHead title="Heartbeats" answer="Heartbeats" />
}
