/** Light, dark, or as the system has it. */
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { Check } from 'lucide-react'

const schemes: readonly { scheme: MantineColorScheme; label: string }[] = [
  { scheme: 'auto', label: 'As the system' },
  { scheme: 'light', label: 'Light' },
  { scheme: 'dark', label: 'Dark' }
]

export function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu.RadioGroup value={colorScheme}>
      {schemes.map(({ scheme, label }) => (
        <Menu.RadioItem key={scheme} value={scheme} onChange={() => setColorScheme(scheme)} checkIcon={<Check size={15} aria-hidden />}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  )
}
