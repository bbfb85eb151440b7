/** A button that opens a menu of actions. The menu's code loads on first use. */
import type { ReactElement } from 'react'
import { type OpeningButtonProps, openingButton } from './opening-button.tsx'

export interface MenuEntry {
  label: string
  act: () => void
  /** The entry opens a dialog that asks first. */
  opens?: 'dialog'
}

export interface MenuButtonProps {
  button: ReactElement<OpeningButtonProps>
  /** Entries that are `false` are left out. */
  entries: readonly (MenuEntry | false)[]
}

export const MenuButton = openingButton<MenuButtonProps>('menu', async () => (await import('./LoadedMenu.tsx')).LoadedMenu)
