/**
 * The frame around every on-call page, with tabs for schedules, policies and the person's own
 * shifts.
 */
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { onCallText } from '../../texts/on-call.ts'
import classes from './OnCall.module.css'

/** Pages belong to a tab if their address begins with `below`, or is the tab's own address. */
const places = [
  { to: '/on-call', below: '/on-call/schedules', label: onCallText('nav.schedules') },
  { to: '/on-call/policies', below: '/on-call/policies', label: onCallText('nav.policies') },
  { to: '/on-call/mine', below: '/on-call/mine', label: onCallText('nav.mine') }
] as const

export function OnCall() {
  const { pathname } = useLocation()
  return (
    <>
      <nav aria-label={onCallText('nav.label')} className={classes.tabs}>
        {places.map(({ to, below, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            className={classes.tab}
            data-here={pathname.startsWith(below) || undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  )
}
