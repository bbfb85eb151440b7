/** The button of the workspace menu, with the name of the workspace. */
import { UnstyledButton } from '@mantine/core'
import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import classes from './Shell.module.css'

export function WorkspaceButton({ name, ...props }: { name: string } & ComponentProps<'button'>) {
  return (
    <UnstyledButton {...props} className={classes.workspace}>
      <span className={classes.initial} aria-hidden>
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className={classes.name}>{name}</span>
      <ChevronsUpDown size={14} aria-hidden />
    </UnstyledButton>
  )
}
