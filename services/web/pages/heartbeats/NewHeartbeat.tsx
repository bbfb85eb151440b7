import { PageHead } from '../../parts/Page.tsx'

export function NewHeartbeat() {
  return <PageHead title="NewHeartbeat" answer="NewHeartbeat" />
}
