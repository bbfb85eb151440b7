import { PageHead } from '../../parts/Page.tsx'

export function Members() {
  return <PageHead title="Members" answer="Members" />
}
