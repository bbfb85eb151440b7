/** The workspace, and its menu once it is wanted: the first look does not wait for it. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { lazyPart } from '../parts/part.ts'
import { useWanted } from '../parts/use-wanted.ts'
import { WorkspaceButton } from './WorkspaceButton.tsx'

const load = () => import('./WorkspaceItems.tsx')
const WorkspaceItems = lazyPart(async () => (await load()).WorkspaceItems)

export function WorkspaceMenu({ onHelp }: { onHelp: () => void }) {
  const { data: session } = useQuery(sessionQuery)
  const [opened, setOpened] = useState(false)
  const wanted = useWanted(opened)
  if (!session) return null
  const button = (
    <WorkspaceButton
      name={session.workspace.name}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setOpened(true)}
      // Where it cannot be loaded now, the press tries again.
      onPointerEnter={() => void load().catch(() => undefined)}
    />
  )
  return <Suspense fallback={button}>{wanted ? <WorkspaceItems opened={opened} onChange={setOpened} onHelp={onHelp} /> : button}</Suspense>
}
