import { PageHead } from '../../parts/Page.tsx'

export function Overview() {
  return <PageHead title="Overview" answer="Overview" />
}
