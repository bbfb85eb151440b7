/**
 * The dialogs of incidents. Each loads when it is first opened, because its form is larger than the
 * page needs for its first view.
 */
import { Suspense } from 'react'
import { lazyPart } from '../../parts/part.ts'
import { useWanted } from '../../parts/use-wanted.ts'
import type { ActionDialogProps } from './ActionDialog.tsx'
import type { BulkDialogProps } from './BulkDialog.tsx'
import type { DeclareDialogProps } from './DeclareDialog.tsx'

const LoadedAction = lazyPart(() => import('./ActionDialog.tsx').then(({ ActionDialog }) => ActionDialog))
const LoadedBulk = lazyPart(() => import('./BulkDialog.tsx').then(({ BulkDialog }) => BulkDialog))
const LoadedDeclare = lazyPart(() => import('./DeclareDialog.tsx').then(({ DeclareDialog }) => DeclareDialog))

export function ActionDialog(props: ActionDialogProps) {
  const wanted = useWanted(props.action !== null)
  return (
    wanted && (
      <Suspense fallback={null}>
        <LoadedAction {...props} />
      </Suspense>
    )
  )
}

export function DeclareDialog(props: DeclareDialogProps) {
  const wanted = useWanted(props.opened)
  return (
    wanted && (
      <Suspense fallback={null}>
        <LoadedDeclare {...props} />
      </Suspense>
    )
  )
}

export function BulkDialog(props: BulkDialogProps) {
  const wanted = useWanted(props.asked !== null)
  return (
    wanted && (
      <Suspense fallback={null}>
        <LoadedBulk {...props} />
      </Suspense>
    )
  )
}
