import { PageHead } from '../../parts/Page.tsx'

export function Tokens() {
  return <PageHead title="Tokens" answer="Tokens" />
}
