/**
 * The menu of the workspace: the person's other workspaces, their own pages, the colour scheme, log
 * out. It loads on first use.
 */
import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { BookOpen, ChartNoAxesColumn, Check, Keyboard, LogOut, Monitor, Plug, Rocket, Settings, UserRound, Wrench } from 'lucide-react'
import { useLogout, useSession, useSwitchWorkspace } from '../api/session.ts'
import { useTakenPlace } from '../parts/taken-place.ts'
import { shellText } from '../texts/shell.ts'
import { SchemeItems } from './SchemeItems.tsx'
import { WorkspaceButton } from './WorkspaceButton.tsx'

export interface WorkspaceItemsProps {
  opened: boolean
  onChange: (opened: boolean) => void
  onHelp: () => void
}

export function WorkspaceItems({ opened, onChange, onHelp }: WorkspaceItemsProps) {
  const { workspace, workspaces, user, role } = useSession()
  const logout = useLogout()
  const change = useSwitchWorkspace()
  const { button, isThere } = useTakenPlace()
  return (
    <Menu
      opened={isThere && opened}
      onChange={onChange}
      position="bottom-start"
      width={240}
      shadow="md"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <WorkspaceButton ref={button} name={workspace.name} />
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
          {shellText('place.account')}
        </Menu.Item>
        <Menu.Item component={Link} to="/maintenance" leftSection={<Wrench size={15} aria-hidden />}>
          {shellText('place.maintenance')}
        </Menu.Item>
        <Menu.Item component={Link} to="/integrations" leftSection={<Plug size={15} aria-hidden />}>
          {shellText('place.integrations')}
        </Menu.Item>
        <Menu.Item component={Link} to="/analytics" leftSection={<ChartNoAxesColumn size={15} aria-hidden />}>
          {shellText('place.analytics')}
        </Menu.Item>
        <Menu.Item component={Link} to="/wall" leftSection={<Monitor size={15} aria-hidden />}>
          {shellText('place.wall')}
        </Menu.Item>
        <Menu.Item component={Link} to="/settings" leftSection={<Settings size={15} aria-hidden />}>
          {shellText('place.settings')}
        </Menu.Item>
        <Menu.Item component={Link} to="/welcome" leftSection={<Rocket size={15} aria-hidden />}>
          {shellText('place.welcome')}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<BookOpen size={15} aria-hidden />}>
          {shellText('place.docs')}
        </Menu.Item>
        <Menu.Item aria-haspopup="dialog" onClick={onHelp} leftSection={<Keyboard size={15} aria-hidden />}>
          {shellText('place.keys')}
        </Menu.Item>
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item onClick={() => logout.mutate()} leftSection={<LogOut size={15} aria-hidden />}>
          {shellText('menu.logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
