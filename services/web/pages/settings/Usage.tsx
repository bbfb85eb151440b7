import { PageHead } from '../../parts/Page.tsx'

export function UsagePage() {
  return <PageHead title="Usage" answer="Usage" />
}
