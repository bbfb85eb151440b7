/** The workspace button and, on first use, its menu. The first view does not wait for the menu. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { lazyPart, loadAhead } from '../parts/part.ts'
import { useWanted } from '../parts/use-wanted.ts'
import { WorkspaceButton } from './WorkspaceButton.tsx'

const load = () => import('./WorkspaceItems.tsx')
const sign = loadAhead(load)
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
      onPointerEnter={sign}
    />
  )
  return <Suspense fallback={button}>{wanted ? <WorkspaceItems opened={opened} onChange={setOpened} onHelp={onHelp} /> : button}</Suspense>
}
