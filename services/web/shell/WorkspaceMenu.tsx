/**
 * The workspace and its menu: others of the person to switch to, what is the person's own, light or
 * dark, the end.
 */
import { Menu, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Check, ChevronsUpDown, Keyboard, LogOut, Plug, Rocket, Settings, UserRound, Wrench } from 'lucide-react'
import { sessionQuery, useLogout, useSwitchWorkspace } from '../api/session.ts'
import { SchemeItems } from './SchemeItems.tsx'
import classes from './Shell.module.css'

export function WorkspaceMenu({ onHelp }: { onHelp: () => void }) {
  const { data: session } = useQuery(sessionQuery)
  const logout = useLogout()
  const change = useSwitchWorkspace()
  if (!session) return null
  const { workspace, workspaces, user, role } = session
  return (
    <Menu position="bottom-start" width={240} shadow="md" withInitialFocusPlaceholder={false}>
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
        {workspaces.length > 1 && (
          <>
            <Menu.RadioGroup value={workspace.id} onChange={(id) => id !== workspace.id && change.mutate(id)}>
              {workspaces.map(({ id, name }) => (
                <Menu.RadioItem
                  key={id}
                  value={id}
                  disabled={change.isPending}
                  checkIcon={<Check size={15} aria-hidden />}
                  closeMenuOnClick
                >
                  {name}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Divider />
          </>
        )}
        <Menu.Item component={Link} to="/settings/account" leftSection={<UserRound size={15} aria-hidden />}>
          Your account
        </Menu.Item>
        <Menu.Item component={Link} to="/maintenance" leftSection={<Wrench size={15} aria-hidden />}>
          Maintenance
        </Menu.Item>
        <Menu.Item component={Link} to="/integrations" leftSection={<Plug size={15} aria-hidden />}>
          Integrations
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
