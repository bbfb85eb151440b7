/** The workspace and its menu: what is the person's own, light or dark, the end. */
import { Menu, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, ChevronsUpDown, Keyboard, LogOut, Rocket, Settings, UserRound } from 'lucide-react'
import { sessionQuery, useLogout } from '../api/session.ts'
import { SchemeItems } from './SchemeItems.tsx'
import classes from './Shell.module.css'

export function WorkspaceMenu({ onHelp }: { onHelp: () => void }) {
  const { data: session } = useQuery(sessionQuery)
  const logout = useLogout()
  if (!session) return null
  const { workspace, user, role } = session
  return (
    <Menu position="bottom-start" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.workspace}>
          <span className={classes.initial} aria-hidden>
            {workspace.name.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.name}>{workspace.name}</span>
          <ChevronsUpDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user?.name} · {role}
        </Menu.Label>
        <Menu.Item component={Link} to="/settings/account" leftSection={<UserRound size={15} aria-hidden />}>
          Your account
        </Menu.Item>
        <Menu.Item component={Link} to="/settings" leftSection={<Settings size={15} aria-hidden />}>
          Settings
        </Menu.Item>
        <Menu.Item component={Link} to="/welcome" leftSection={<Rocket size={15} aria-hidden />}>
          First steps
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<BookOpen size={15} aria-hidden />}>
          Guides and API reference
        </Menu.Item>
        <Menu.Item onClick={onHelp} leftSection={<Keyboard size={15} aria-hidden />}>
          Keys
        </Menu.Item>
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item onClick={() => logout.mutate()} leftSection={<LogOut size={15} aria-hidden />}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
