import { PageHead } from '../../parts/Page.tsx'

export function IncidentPage() {
  return <PageHead title="Incident" answer="Incident" />
}
