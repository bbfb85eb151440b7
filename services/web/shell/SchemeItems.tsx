/** Light, dark, or as the system has it. */
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { Check, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react'

const schemes: readonly { scheme: MantineColorScheme; label: string; icon: LucideIcon }[] = [
  { scheme: 'auto', label: 'As the system', icon: Monitor },
  { scheme: 'light', label: 'Light', icon: Sun },
  { scheme: 'dark', label: 'Dark', icon: Moon }
]

export function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return schemes.map(({ scheme, label, icon: Icon }) => (
    <Menu.Item
      key={scheme}
      role="menuitemradio"
      aria-checked={scheme === colorScheme}
      onClick={() => setColorScheme(scheme)}
      leftSection={<Icon size={15} aria-hidden />}
      rightSection={scheme === colorScheme ? <Check size={15} aria-hidden /> : null}
    >
      {label}
    </Menu.Item>
  ))
}
