/** Private locations: regions that the workspace runs itself, with their probers. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MapPin, Plus } from 'lucide-react'
import { useState } from 'react'
import { locationsQuery } from '../../api/locations.ts'
import { useMay } from '../../api/session.ts'
import type { LocationWithToken } from '../../api/shapes.ts'
import { isFull, useLimit } from '../../api/workspace.ts'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { useKeys } from '../../shell/keys.ts'
import { locationsText } from '../../texts/locations.ts'
import classes from './List.module.css'
import { LocationRow } from './LocationRow.tsx'
import { locationsAnswer } from './location-words.ts'

const LocationDialog = lateDialog(async () => (await import('./LocationDialog.tsx')).LocationDialog)
const LocationStart = lateDialog(async () => (await import('./LocationStart.tsx')).LocationStart)

const GUIDE = '/docs/guides/private-locations'

export function Locations() {
  const { create, edit } = useSearch({ from: '/inside/settings/locations' })
  const navigate = useNavigate()
  const may = useMay('administer')
  const asked = useQuery(locationsQuery)
  const { data: locations } = asked
  const [shown, setShown] = useState<LocationWithToken | null>(null)
  const limit = useLimit('private_locations')
  const full = isFull(limit)
  const go = (search: { create?: 'yes'; edit?: string }): void => void navigate({ to: '/settings/locations', search })
  useKeys(may && !full ? { c: () => go({ create: 'yes' }) } : {})
  const edited = locations?.items.find(({ id }) => id === edit)
  const button = may && (
    <Button aria-haspopup="dialog" leftSection={<Plus size={16} aria-hidden />} onClick={() => go({ create: 'yes' })} disabled={full}>
      {locationsText('list.create')}
    </Button>
  )
  const guide = (
    <a href={GUIDE} target="_blank" rel="noreferrer">
      {locationsText('page.guide')}
    </a>
  )
  return (
    <>
      <PageHead
        title={locationsText('page.title')}
        answer={locations ? locationsAnswer(locations.items) : locationsText('page.title')}
        actions={locations?.total === 0 ? null : button}
      >
        {!may && <span>{locationsText('list.read_only')}</span>}
        {may && full && (
          <span role="status">{limit?.limit ? locationsText('list.full', { count: limit.limit }) : locationsText('list.not_on_plan')}</span>
        )}
        {guide}
      </PageHead>
      {!locations ? (
        <Awaiting of={asked} rows={2} height={96} />
      ) : locations.items.length === 0 ? (
        <Empty icon={MapPin} title={locationsText('list.empty')} action={button}>
          {locationsText('list.empty_hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={locationsText('list.label')}>
          {locations.items.map((location) => (
            <LocationRow
              key={location.id}
              location={location}
              mayChange={may}
              onEdit={() => go({ edit: location.id })}
              onToken={setShown}
            />
          ))}
        </ul>
      )}
      {may && (
        <LocationDialog opened={create === 'yes' || edited !== undefined} location={edited} onClose={() => go({})} onMade={setShown} />
      )}
      <LocationStart opened={shown !== null} location={shown} onClose={() => setShown(null)} />
    </>
  )
}
