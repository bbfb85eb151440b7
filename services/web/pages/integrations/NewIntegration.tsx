import { PageHead } from '../../parts/Page.tsx'

export function NewIntegration() {
  return <PageHead title="NewIntegration" answer="NewIntegration" />
}
