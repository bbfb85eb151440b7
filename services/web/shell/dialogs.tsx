/**
 * Search and the page of keys: they load a moment after the page, so that the first look does not
 * wait for them and the first key finds them.
 */
import { Suspense, useEffect } from 'react'
import { lazyPart } from '../parts/part.ts'
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
    // Where it cannot be loaded now, the first key tries again.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), AFTER_MS)
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
