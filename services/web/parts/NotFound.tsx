/** What an unknown address of the dashboard shows, inside the usual frame of every page. */
import { Button } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { lostText } from '../texts/lost.ts'
import { PageHead } from './Page.tsx'
import { Empty } from './States.tsx'

export function NotFound() {
  const { pathname } = useLocation()
  return (
    <>
      <PageHead title={lostText('missing.title')} answer={lostText('missing.answer')} />
      <Empty
        icon={SearchX}
        title={pathname}
        action={
          <Button variant="default" component={Link} to="/">
            {lostText('missing.action')}
          </Button>
        }
      >
        {lostText('missing.hint')}
      </Empty>
    </>
  )
}
