/**
 * The frame around every page: navigation, live state, search, keys. On a narrow screen the
 * navigation is at the bottom, within reach of the thumb.
 */
import { UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import {
  Activity,
  BellDot,
  CalendarClock,
  ChartNoAxesColumn,
  HeartPulse,
  LayoutDashboard,
  type LucideIcon,
  Plug,
  Search,
  Settings,
  Siren,
  Wrench
} from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { countsQuery } from '../api/lists.ts'
import { holderOf, SessionProvider, sessionQuery, useSession } from '../api/session.ts'
import { LiveProvider } from '../live/context.tsx'
import { Brand } from '../parts/Brand.tsx'
import { clockChanges } from '../parts/clock.ts'
import { shellText } from '../texts/shell.ts'
import { Help, Palette } from './dialogs.tsx'
import { FeedBell } from './FeedBell.tsx'
import { useKeys } from './keys.ts'
import { LiveMark } from './LiveMark.tsx'
import { visitsOf } from './recent.ts'
import classes from './Shell.module.css'
import { ToLogin } from './ToLogin.tsx'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'

interface Place {
  to: string
  label: () => string
  icon: LucideIcon
  /** On a narrow screen this place moves to the menu: six places leave room for a thumb each. */
  inMenu?: boolean
}

const places: readonly Place[] = [
  { to: '/', label: () => shellText('place.overview'), icon: LayoutDashboard },
  { to: '/incidents', label: () => shellText('place.incidents'), icon: Siren },
  { to: '/alerts', label: () => shellText('place.alerts'), icon: BellDot },
  { to: '/monitors', label: () => shellText('place.monitors'), icon: Activity },
  { to: '/heartbeats', label: () => shellText('place.heartbeats'), icon: HeartPulse },
  { to: '/on-call', label: () => shellText('place.on_call'), icon: CalendarClock },
  { to: '/maintenance', label: () => shellText('place.maintenance'), icon: Wrench, inMenu: true },
  { to: '/integrations', label: () => shellText('place.integrations'), icon: Plug, inMenu: true },
  { to: '/analytics', label: () => shellText('place.analytics'), icon: ChartNoAxesColumn, inMenu: true },
  { to: '/settings', label: () => shellText('place.settings'), icon: Settings, inMenu: true }
]

export function Shell() {
  const { data: session } = useQuery(sessionQuery)
  const clock = useSyncExternalStore(clockChanges.subscribe, clockChanges.count)
  if (!session) return <ToLogin />
  return (
    // Another workspace or person needs another connection; another zone or language needs all
    // texts drawn again.
    <LiveProvider key={`${holderOf(session)} ${clock}`}>
      <SessionProvider value={session}>
        <Frame />
      </SessionProvider>
    </LiveProvider>
  )
}

/** Number of ongoing incidents that nobody has acknowledged and no silence holds. */
const useWaiting = (): number => useQuery(countsQuery).data?.needs_someone ?? 0

function Frame() {
  const navigate = useNavigate()
  const waiting = useWaiting()
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  const { user, workspace } = useSession()
  visitsOf(holderOf({ user, workspace }))
  useKeys({
    '/': () => setSearching(true),
    'mod k': () => setSearching(true),
    '?': () => setHelping(true),
    'g a': () => void navigate({ to: '/alerts' }),
    'g c': () => void navigate({ to: '/on-call' }),
    'g f': () => void navigate({ to: '/feed' }),
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
        {shellText('skip.label')}
      </a>
      <header className={classes.side}>
        <Link to="/" className={classes.brand}>
          <Brand />
        </Link>
        <WorkspaceMenu onHelp={() => setHelping(true)} />
        <UnstyledButton className={classes.search} aria-haspopup="dialog" onClick={() => setSearching(true)}>
          <Search size={15} aria-hidden />
          <span>{shellText('search.label')}</span>
          <kbd aria-hidden>/</kbd>
        </UnstyledButton>
        <nav className={classes.nav} aria-label={shellText('nav.label')}>
          {places.map(({ to, label, icon: Icon, inMenu }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/' }} className={classes.place} data-wide={inMenu || undefined}>
              <Icon size={17} aria-hidden />
              <span>{label()}</span>
              {to === '/incidents' && waiting > 0 && (
                <b className={classes.count}>
                  {waiting}
                  <span className="unseen"> {shellText('nav.waiting')}</span>
                </b>
              )}
            </Link>
          ))}
        </nav>
        <FeedBell />
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
