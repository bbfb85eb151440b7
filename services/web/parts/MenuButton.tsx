/** A button with a menu of things to do. The menu loads when it is first wanted. */
import type { ReactElement } from 'react'
import { type OpeningButtonProps, openingButton } from './opening-button.tsx'

export interface MenuEntry {
  label: string
  act: () => void
  /** What it leads to asks first. */
  opens?: 'dialog'
}

export interface MenuButtonProps {
  button: ReactElement<OpeningButtonProps>
  /** What is false is left out. */
  entries: readonly (MenuEntry | false)[]
}

export const MenuButton = openingButton<MenuButtonProps>('menu', async () => (await import('./LoadedMenu.tsx')).LoadedMenu)
