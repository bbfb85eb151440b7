/** The box of PopoverButton.tsx. It loads on first use and opens as soon as it is loaded. */
import { Popover } from '@mantine/core'
import { cloneElement, type Ref, useState } from 'react'
import type { PopoverButtonProps } from './PopoverButton.tsx'
import { useTakenPlace } from './taken-place.ts'

export function LoadedPopover({ button, position, label, className, width, children }: PopoverButtonProps) {
  const { button: ref, isThere } = useTakenPlace()
  const [opened, setOpened] = useState(true)
  const named: { ref: Ref<HTMLButtonElement>; onClick: () => void } = { ref, onClick: () => setOpened(!opened) }
  return (
    <Popover
      opened={isThere && opened}
      onChange={setOpened}
      position={position}
      shadow="md"
      trapFocus
      returnFocus
      {...(width !== undefined && { width })}
    >
      <Popover.Target>{cloneElement(button, named)}</Popover.Target>
      <Popover.Dropdown className={className} aria-label={label}>
        {children(() => setOpened(false))}
      </Popover.Dropdown>
    </Popover>
  )
}
