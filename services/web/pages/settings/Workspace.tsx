import { PageHead } from '../../parts/Page.tsx'

export function WorkspaceSettings() {
  return <PageHead title="Workspace" answer="Workspace" />
}
