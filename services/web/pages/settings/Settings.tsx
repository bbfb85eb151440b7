/** The frame around every settings page; it shows where the person is among them. */
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMay, useSession } from '../../api/session.ts'
import { settingsText } from '../../texts/settings.ts'
import classes from './Settings.module.css'

const places = [
  { to: '/settings', label: settingsText('place.workspace') },
  { to: '/settings/members', label: settingsText('place.members') },
  { to: '/settings/teams', label: settingsText('place.teams') },
  { to: '/settings/routing', label: settingsText('place.routing') },
  { to: '/settings/channels', label: settingsText('place.channels') },
  { to: '/settings/templates', label: settingsText('place.templates') },
  { to: '/settings/deliveries', label: settingsText('place.deliveries') },
  { to: '/settings/mailbox', label: settingsText('place.mailbox') },
  { to: '/settings/tokens', label: settingsText('place.tokens') },
  { to: '/settings/locations', label: settingsText('place.locations') },
  { to: '/settings/usage', label: settingsText('place.usage') },
  { to: '/settings/audit', label: settingsText('place.audit') },
  { to: '/settings/notifications', label: settingsText('place.notifications') },
  { to: '/settings/account', label: settingsText('place.account') }
] as const

/**
 * Only owners and admins see the audit log and the mailbox. The mailbox exists only in a run that
 * sends no mail.
 */
function usePlaces() {
  const { mail } = useSession()
  const may = useMay('administer')
  return places.filter(({ to }) => {
    if (to === '/settings/audit') return may
    return to !== '/settings/mailbox' || (mail === 'kept' && may)
  })
}

export function Settings() {
  const strip = useRef<HTMLElement>(null)
  const pathname = useLocation({ select: (location) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place in the strip
  useEffect(() => {
    // On a narrow screen only the strip of places scrolls; the page itself must not move.
    const current = strip.current?.querySelector<HTMLElement>('[aria-current]')
    if (strip.current && current) strip.current.scrollLeft = current.offsetLeft - (strip.current.clientWidth - current.offsetWidth) / 2
  }, [pathname])
  return (
    <div className={classes.layout}>
      <nav ref={strip} aria-label={settingsText('nav.label')} className={classes.nav}>
        {usePlaces().map(({ to, label }) => (
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
