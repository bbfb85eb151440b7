/** The menu of MenuButton.tsx. It loads on first use and opens as soon as it is loaded. */
import { Menu } from '@mantine/core'
import { cloneElement, type Ref, useState } from 'react'
import type { MenuButtonProps } from './MenuButton.tsx'
import { useTakenPlace } from './taken-place.ts'

export function LoadedMenu({ button, entries }: MenuButtonProps) {
  const { button: ref, isThere } = useTakenPlace()
  const [opened, setOpened] = useState(true)
  const named: { ref: Ref<HTMLButtonElement> } = { ref }
  return (
    <Menu opened={isThere && opened} onChange={setOpened} position="bottom-end" shadow="md" width={230}>
      <Menu.Target>{cloneElement(button, named)}</Menu.Target>
      <Menu.Dropdown>
        {entries.map(
          (entry) =>
            entry && (
              <Menu.Item key={entry.label} aria-haspopup={entry.opens} onClick={entry.act}>
                {entry.label}
              </Menu.Item>
            )
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
