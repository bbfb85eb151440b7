import { PageHead } from '../../parts/Page.tsx'

export function Incidents() {
  return <PageHead title="Incidents" answer="Incidents" />
}
