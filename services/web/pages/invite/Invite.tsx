import { PageHead } from '../../parts/Page.tsx'

export function Invite() {
  return <PageHead title="Invite" answer="Invite" />
}
