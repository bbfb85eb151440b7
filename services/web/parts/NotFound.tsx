/** An address of the dashboard that there is not, within what stands around every page. */
import { Button } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { PageHead } from './Page.tsx'
import { Empty } from './States.tsx'

export function NotFound() {
  const { pathname } = useLocation()
  return (
    <>
      <PageHead title="Not found" answer="There is no page at this address" />
      <Empty
        icon={SearchX}
        title={pathname}
        action={
          <Button variant="default" component={Link} to="/">
            To the overview
          </Button>
        }
      >
        The link may be outdated or have a typo.
      </Empty>
    </>
  )
}
