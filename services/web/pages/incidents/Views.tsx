/**
 * The views of the list: those that everybody has, those that the person saved, and saving the
 * current one. The menu loads when it is first needed.
 */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { Suspense, useState } from 'react'
import { viewsQuery } from '../../api/views.ts'
import classes from '../../parts/Filters.module.css'
import { lazyPart, loadAhead } from '../../parts/part.ts'
import { useWanted } from '../../parts/use-wanted.ts'
import { parseSearch, stringifySearch } from '../../search.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { type IncidentsSearch, incidentsSearch } from './search.ts'

const load = () => import('./ViewsMenu.tsx')
const sign = loadAhead(load)
const ViewsMenu = lazyPart(async () => (await load()).ViewsMenu)
const SaveView = lazyPart(async () => (await import('./SaveView.tsx')).SaveView)

export interface NamedView {
  name: string
  search: IncidentsSearch
}

export const commonViews: readonly NamedView[] = [
  { name: incidentListText('view.mine'), search: { mine: true } },
  { name: incidentListText('view.urgent'), search: { status: 'triggered', severity: ['critical'], sort: 'worst' } },
  { name: incidentListText('view.unassigned'), search: { assignee: 'nobody', sort: 'worst' } }
]

/** Returns the filters as the address holds them, without the page number. */
export const asKept = ({ page: _page, declare: _declare, ...search }: IncidentsSearch): Record<string, string> =>
  parseSearch(stringifySearch(search))

/** Returns the same text for every address of the same list. */
const sameText = (search: object): string => stringifySearch(incidentsSearch(parseSearch(stringifySearch(search))))

export function Views({ search }: { search: IncidentsSearch }) {
  const { data } = useQuery(viewsQuery)
  const [saving, setSaving] = useState(false)
  const saves = useWanted(saving)
  const [opened, setOpened] = useState(false)
  const opens = useWanted(opened)
  const kept = data?.items ?? []
  const here = sameText({ ...search, page: undefined, declare: undefined })
  const current = [...kept, ...commonViews].find((view) => sameText(view.search) === here)
  const label = current ? incidentListText('view.current', { name: current.name }) : incidentListText('view.button')
  const button = (
    <Button
      variant="default"
      className={classes.compact}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={opened}
      leftSection={<Bookmark size={15} aria-hidden />}
      onClick={() => setOpened(true)}
      onPointerEnter={sign}
      onFocus={sign}
    >
      <span>{label}</span>
    </Button>
  )
  return (
    <>
      <Suspense fallback={button}>
        {opens ? (
          <ViewsMenu button={button} opened={opened} onChange={setOpened} search={search} kept={kept} onSave={() => setSaving(true)} />
        ) : (
          button
        )}
      </Suspense>
      {saves && (
        <Suspense fallback={null}>
          <SaveView opened={saving} search={asKept(search)} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  )
}
