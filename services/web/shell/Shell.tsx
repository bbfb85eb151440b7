/** What stands around every page: navigation, how live the page is, search, keys. On a narrow screen the navigation stands at the bottom, where the thumb is. */
import { Menu, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import {
  Activity,
  Bell,
  BookOpen,
  ChevronsUpDown,
  HeartPulse,
  Keyboard,
  LayoutDashboard,
  LogOut,
  Plug,
  Rocket,
  Search,
  Settings,
  UserRound
} from 'lucide-react'
import { useState } from 'react'
import { incidentsQuery } from '../api/lists.ts'
import { sessionQuery, useLogout } from '../api/session.ts'
import { LiveProvider } from '../live/context.tsx'
import { Help } from './Help.tsx'
import { useKeys } from './keys.ts'
import { LiveMark } from './LiveMark.tsx'
import { Palette } from './Palette.tsx'
import { SchemeItems } from './SchemeItems.tsx'
import classes from './Shell.module.css'

const places = [
  { to: '/', label: 'Overview', icon: LayoutDashboard },
  { to: '/incidents', label: 'Incidents', icon: Bell },
  { to: '/monitors', label: 'Monitors', icon: Activity },
  { to: '/heartbeats', label: 'Heartbeats', icon: HeartPulse },
  { to: '/integrations', label: 'Integrations', icon: Plug },
  { to: '/settings', label: 'Settings', icon: Settings }
] as const

export function Shell() {
  const { data: session } = useQuery(sessionQuery)
  const location = useLocation()
  if (!session) return <Navigate to="/login" search={location.pathname === '/' ? {} : { next: location.href }} />
  return (
    // Another workspace is another connection.
    <LiveProvider key={session.workspace.id}>
      <Frame />
    </LiveProvider>
  )
}

/** Ongoing incidents that nobody has taken yet. */
function useWaiting(): number {
  const { data } = useQuery(incidentsQuery({ dashboard_state: ['Triggered'], per_page: 1 }))
  return data?.total ?? 0
}

function Frame() {
  const navigate = useNavigate()
  const waiting = useWaiting()
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  useKeys({
    '/': () => setSearching(true),
    '?': () => setHelping(true),
    'g h': () => void navigate({ to: '/heartbeats' }),
    'g i': () => void navigate({ to: '/incidents' }),
    'g m': () => void navigate({ to: '/monitors' }),
    'g n': () => void navigate({ to: '/integrations' }),
    'g o': () => void navigate({ to: '/' }),
    'g s': () => void navigate({ to: '/settings' })
  })
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#main">
        To the content
      </a>
      <header className={classes.side}>
        <WorkspaceMenu onHelp={() => setHelping(true)} />
        <UnstyledButton className={classes.search} onClick={() => setSearching(true)}>
          <Search size={15} aria-hidden />
          <span>Search</span>
          <kbd aria-hidden>/</kbd>
        </UnstyledButton>
        <nav className={classes.nav} aria-label="Main">
          {places.map(({ to, label, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/' }}
              className={classes.place}
              data-wide={to === '/settings' || undefined}
            >
              <Icon size={17} aria-hidden />
              <span>{label}</span>
              {to === '/incidents' && waiting > 0 && (
                <b className={classes.count}>
                  {waiting}
                  <span className={classes.unseen}> waiting</span>
                </b>
              )}
            </Link>
          ))}
        </nav>
        <div className={classes.foot}>
          <LiveMark />
        </div>
      </header>
      <main id="main" className={classes.main} tabIndex={-1}>
        <Outlet />
      </main>
      <Palette opened={searching} onClose={() => setSearching(false)} />
      <Help opened={helping} onClose={() => setHelping(false)} />
    </div>
  )
}

function WorkspaceMenu({ onHelp }: { onHelp: () => void }) {
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
