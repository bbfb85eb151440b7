/** Around every page of on-call: schedules, policies, one's own shifts. */
import { Link, Outlet } from '@tanstack/react-router'
import { onCallText } from '../../texts/on-call.ts'
import classes from './OnCall.module.css'

/** `exact`: the pages below it belong to another tab. */
const places = [
  { to: '/on-call', label: onCallText('nav.schedules'), exact: true },
  { to: '/on-call/policies', label: onCallText('nav.policies'), exact: false }
] as const

export function OnCall() {
  return (
    <>
      <nav aria-label={onCallText('nav.label')} className={classes.tabs}>
        {places.map(({ to, label, exact }) => (
          <Link key={to} to={to} activeOptions={{ exact, includeSearch: false }} className={classes.tab}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  )
}
