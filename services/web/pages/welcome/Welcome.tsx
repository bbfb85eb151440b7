import { PageHead } from '../../parts/Page.tsx'

export function Welcome() {
  return <PageHead title="Welcome" answer="Welcome" />
}
