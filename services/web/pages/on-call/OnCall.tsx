/** Around every page of on-call: schedules, policies, one's own shifts. */
import { Link, Outlet } from '@tanstack/react-router'
import { text } from '../../texts/catalogue.ts'
import classes from './OnCall.module.css'

/** `exact`: the pages below it belong to another tab. */
const places = [{ to: '/on-call', label: text('onCall', 'nav.schedules'), exact: true }] as const

export function OnCall() {
  return (
    <>
      <nav aria-label={text('onCall', 'nav.label')} className={classes.tabs}>
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
