/** Menu items for the colour scheme: light, dark, or as the system has it. */
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { Check } from 'lucide-react'
import { shellText } from '../texts/shell.ts'

const schemes: readonly MantineColorScheme[] = ['auto', 'light', 'dark']

export function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu.RadioGroup value={colorScheme}>
      {schemes.map((scheme) => (
        <Menu.RadioItem key={scheme} value={scheme} onChange={() => setColorScheme(scheme)} checkIcon={<Check size={15} aria-hidden />}>
          {shellText(`scheme.${scheme}`)}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  )
}
