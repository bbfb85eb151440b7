/**
 * The menu of MenuButton.tsx, once it was wanted: it takes the button's place, and opens as soon as
 * it is there, with the focus as if it had been there all along.
 */
import { Menu } from '@mantine/core'
import { cloneElement, type Ref, useEffect, useRef, useState } from 'react'
import type { MenuButtonProps } from './MenuButton.tsx'

export function LoadedMenu({ button, entries }: MenuButtonProps) {
  const ref = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    // The menu gives the focus back to where it was.
    ref.current?.focus()
    setOpened(true)
  }, [])
  const named: { ref: Ref<HTMLButtonElement> } = { ref }
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" shadow="md" width={230}>
      <Menu.Target>{cloneElement(button, named)}</Menu.Target>
      <Menu.Dropdown>
        {entries.map(
          (entry) =>
            entry && (
              <Menu.Item key={entry.label} onClick={entry.act}>
                {entry.label}
              </Menu.Item>
            )
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
