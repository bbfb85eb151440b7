/** A button with a small box of fields. The box loads when it is first wanted. */
import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import type { OpeningButtonProps } from './MenuButton.tsx'
import { lazyPart } from './part.ts'

const load = () => import('./LoadedPopover.tsx')
const Loaded = lazyPart(async () => (await load()).LoadedPopover)
/** The first sign that somebody wants it; where it does not load now, the press tries again. */
const sign = (): void => void load().catch(() => undefined)

export interface PopoverButtonProps {
  button: ReactElement<OpeningButtonProps>
  position: 'bottom-start' | 'bottom-end'
  /** What the box is, for those who hear the page; without it, what the button says. */
  label?: string | undefined
  className?: string | undefined
  /** Pixels. */
  width?: number
  /** What stands in the box; `close` closes it. */
  children: (close: () => void) => ReactNode
}

export function PopoverButton(props: PopoverButtonProps) {
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
    'aria-haspopup': 'dialog',
    'aria-expanded': false
  })
}
