/**
 * The search and help dialogs. Search loads a moment after the page, so that the first view does
 * not wait for it and the first key press finds it ready.
 */
import { Suspense, useEffect } from 'react'
import { lazyPart, loadAhead } from '../parts/part.ts'
import { useWanted } from '../parts/use-wanted.ts'

const loadPalette = () => import('./Palette.tsx')
const LoadedPalette = lazyPart(() => loadPalette().then(({ Palette }) => Palette))
const LoadedHelp = lazyPart(() => import('./Help.tsx').then(({ Help }) => Help))

const AFTER_MS = 2000

interface DialogProps {
  opened: boolean
  onClose: () => void
}

export function Palette(props: DialogProps) {
  const wanted = useWanted(props.opened)
  useEffect(() => {
    const timer = setTimeout(loadAhead(loadPalette), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    wanted && (
      <Suspense>
        <LoadedPalette {...props} />
      </Suspense>
    )
  )
}

export function Help(props: DialogProps) {
  const wanted = useWanted(props.opened)
  return (
    wanted && (
      <Suspense>
        <LoadedHelp {...props} />
      </Suspense>
    )
  )
}
