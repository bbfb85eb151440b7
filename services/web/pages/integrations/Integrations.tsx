import { PageHead } from '../../parts/Page.tsx'

export function Integrations() {
  return <PageHead title="Integrations" answer="Integrations" />
}
