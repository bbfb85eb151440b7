/** Shown in place of a page when the session has ended. */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/**
 * Goes to the log-in once, with the address that the person was at. The address is kept on the
 * first render, because it already changes while the log-in page loads.
 */
export function ToLogin() {
  const navigate = useNavigate()
  const { pathname, href } = useLocation()
  const search = useRef(pathname === '/' ? {} : { next: href })
  useEffect(() => void navigate({ to: '/login', search: search.current, replace: true }), [navigate])
  return null
}
