/** Around every page of the settings: where one is among them. */
import { Link, Outlet } from '@tanstack/react-router'
import classes from './Settings.module.css'

const places = [
  { to: '/settings', label: 'Workspace' },
  { to: '/settings/members', label: 'Members' },
  { to: '/settings/teams', label: 'Teams' },
  { to: '/settings/routing', label: 'Routing' },
  { to: '/settings/channels', label: 'Notification channels' },
  { to: '/settings/tokens', label: 'API tokens' },
  { to: '/settings/usage', label: 'Usage and limits' },
  { to: '/settings/account', label: 'Your account' }
] as const

export function Settings() {
  return (
    <div className={classes.layout}>
      <nav aria-label="Settings" className={classes.nav}>
        {places.map(({ to, label }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/settings', includeSearch: false }} className={classes.place}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  )
}
