import { PageHead } from '../../parts/Page.tsx'

export function AccountSettings() {
  return <PageHead title="Account" answer="Account" />
}
