/** A button that opens a small box of fields. The box loads on first use. */
import type { ReactElement, ReactNode } from 'react'
import { type OpeningButtonProps, openingButton } from './opening-button.tsx'

export interface PopoverButtonProps {
  button: ReactElement<OpeningButtonProps>
  position: 'bottom-start' | 'bottom-end'
  /** The name of the box for screen readers. The default is the button's text. */
  label?: string | undefined
  className?: string | undefined
  /** Pixels. */
  width?: number
  /** The content of the box; `close` closes it. */
  children: (close: () => void) => ReactNode
}

export const PopoverButton = openingButton<PopoverButtonProps>('dialog', async () => (await import('./LoadedPopover.tsx')).LoadedPopover)
