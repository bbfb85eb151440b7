import { PageHead } from '../../parts/Page.tsx'

export function IntegrationPage() {
  return <PageHead title="Integration" answer="Integration" />
}
