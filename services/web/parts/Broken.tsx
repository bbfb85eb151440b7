/**
 * What stands where a page could not be drawn: a part of it that did not load (a new version was
 * deployed, or there is no network), or a fault of ours.
 */
import { Button } from '@mantine/core'
import { RefreshCw } from 'lucide-react'
import { Refusal } from '../api/client.ts'
import { Empty, Problem } from './States.tsx'

const isMissingPart = (error: Error): boolean => /dynamically imported module|module script failed|Failed to fetch/i.test(error.message)

export function Broken({ error, reset }: { error: Error; reset: () => void }) {
  if (error instanceof Refusal) return <Problem error={error} retry={reset} />
  const missing = isMissingPart(error)
  return (
    <Empty
      icon={RefreshCw}
      title={missing ? 'This part of the page did not load' : 'This page has a fault'}
      action={<Button onClick={() => location.reload()}>Load the page again</Button>}
    >
      {missing ? 'There may be a newer version, or no network just now.' : error.message}
    </Empty>
  )
}
