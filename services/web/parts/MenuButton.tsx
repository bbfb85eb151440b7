/** A button with a menu of things to do. The menu loads when it is first wanted. */
import { cloneElement, type ReactElement, type Ref, Suspense, useState } from 'react'
import { lazyPart } from './part.ts'

const load = () => import('./LoadedMenu.tsx')
const Loaded = lazyPart(async () => (await load()).LoadedMenu)
/** The first sign that somebody wants it; where it does not load now, the press tries again. */
const sign = (): void => void load().catch(() => undefined)

/** Of a button that opens something. */
export interface OpeningButtonProps {
  ref?: Ref<HTMLButtonElement>
  onClick?: () => void
  onPointerEnter?: () => void
  onFocus?: () => void
  'aria-haspopup'?: 'menu' | 'dialog'
  'aria-expanded'?: boolean
}

export interface MenuEntry {
  label: string
  act: () => void
}

export interface MenuButtonProps {
  button: ReactElement<OpeningButtonProps>
  /** What is false is left out. */
  entries: readonly (MenuEntry | false)[]
}

export function MenuButton(props: MenuButtonProps) {
  const [wanted, setWanted] = useState(false)
  if (wanted)
    return (
      <Suspense fallback={props.button}>
        <Loaded {...props} />
      </Suspense>
    )
  return cloneElement(props.button, {
    onClick: () => setWanted(true),
    onPointerEnter: sign,
    onFocus: sign,
    'aria-haspopup': 'menu',
    'aria-expanded': false
  })
}
