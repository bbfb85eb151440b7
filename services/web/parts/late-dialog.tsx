/**
 * Loads a dialog's code when it is first opened, so that pages do not carry what most visits do not
 * need.
 */
import { useMounted } from '@mantine/hooks'
import { type ComponentType, Suspense } from 'react'
import { lazyPart } from './part.ts'
import { useWanted } from './use-wanted.ts'

/** `load` returns the dialog. The result is a component that is used in its place. */
export function lateDialog<Props extends { opened: boolean }>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazyPart(async () => {
    const Dialog = await load()
    return function Mounted(props: Props) {
      // Closed on the first render: a dialog that mounts open cannot give the focus back when it
      // closes.
      const isThere = useMounted()
      return <Dialog {...props} opened={isThere && props.opened} />
    }
  })
  return function LateDialog(props: Props) {
    const wanted = useWanted(props.opened)
    return (
      wanted && (
        <Suspense fallback={null}>
          <Loaded {...props} />
        </Suspense>
      )
    )
  }
}
