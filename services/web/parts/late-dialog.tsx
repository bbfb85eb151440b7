/** Dialogs load when they are first opened: pages do not carry what most visits do not need. */
import { useMounted } from '@mantine/hooks'
import { type ComponentType, Suspense } from 'react'
import { lazyPart } from './part.ts'
import { useWanted } from './use-wanted.ts'

/** `load` gives the dialog; what it returns stands in its place. */
export function lateDialog<Props extends { opened: boolean }>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazyPart(async () => {
    const Dialog = await load()
    return function Mounted(props: Props) {
      // Closed at first: one that begins open gives the focus back to nobody.
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
