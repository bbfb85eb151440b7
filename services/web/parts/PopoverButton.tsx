/** A button with a small box of fields. The box loads when it is first wanted. */
import type { ReactElement, ReactNode } from 'react'
import { type OpeningButtonProps, openingButton } from './opening-button.tsx'

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

export const PopoverButton = openingButton<PopoverButtonProps>('dialog', async () => (await import('./LoadedPopover.tsx')).LoadedPopover)
