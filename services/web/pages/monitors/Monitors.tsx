import { PageHead } from '../../parts/Page.tsx'

export function Monitors() {
  return <PageHead title="Monitors" answer="Monitors" />
}
