/**
 * Views of the list: those that everybody has, those that the person keeps, and keeping this one.
 */
import { ActionIcon, Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { deleteView, viewsQuery } from '../../api/views.ts'
import classes from '../../parts/Filters.module.css'
import { lazyPart } from '../../parts/part.ts'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { useWanted } from '../../parts/use-wanted.ts'
import { parseSearch, stringifySearch } from '../../search.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { type IncidentsSearch, incidentsSearch, isNarrowed } from './search.ts'
import own from './Views.module.css'

const SaveView = lazyPart(async () => (await import('./SaveView.tsx')).SaveView)

const common: readonly { name: string; search: IncidentsSearch }[] = [
  { name: incidentListText('view.mine'), search: { mine: true } },
  { name: incidentListText('view.urgent'), search: { status: 'triggered', severity: ['critical'], sort: 'worst' } },
  { name: incidentListText('view.unassigned'), search: { assignee: 'nobody', sort: 'worst' } }
]

/** As it stands in an address, without the page. */
export const asKept = ({ page: _page, declare: _declare, ...search }: IncidentsSearch): Record<string, string> =>
  parseSearch(stringifySearch(search))

/** One text for the same list. */
const sameText = (search: object): string => stringifySearch(incidentsSearch(parseSearch(stringifySearch(search))))

export function Views({ search }: { search: IncidentsSearch }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { data } = useQuery(viewsQuery)
  const [saving, setSaving] = useState(false)
  const wanted = useWanted(saving)
  const kept = data?.items ?? []
  const here = sameText({ ...search, page: undefined, declare: undefined })
  const current = [...kept, ...common].find((view) => sameText(view.search) === here)
  const label = current ? incidentListText('view.current', { name: current.name }) : incidentListText('view.button')
  const open = (view: IncidentsSearch): void => void navigate({ to: '/incidents', search: view })
  const remove = useMutation({
    mutationFn: (id: string) => deleteView(id),
    onSuccess: () => tellDone(incidentListText('view.deleted')),
    onError: (error) => tellRefused(incidentListText('view.deleting'), error),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['views'] })
  })
  return (
    <>
      <Menu position="bottom-start" shadow="md" width={260}>
        <Menu.Target>
          <Button variant="default" className={classes.compact} aria-label={label} leftSection={<Bookmark size={15} aria-hidden />}>
            <span>{label}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {common.map((view) => (
            <Menu.Item key={view.name} onClick={() => open(view.search)}>
              {view.name}
            </Menu.Item>
          ))}
          {kept.length > 0 && <Menu.Label>{incidentListText('view.kept')}</Menu.Label>}
          {kept.map(({ id, name, search: saved }) => (
            <div key={id} className={own.kept}>
              <Menu.Item onClick={() => open(incidentsSearch(saved))}>{name}</Menu.Item>
              <ActionIcon
                aria-label={incidentListText('view.delete', { name })}
                loading={remove.isPending && remove.variables === id}
                onClick={() => remove.mutate(id)}
              >
                <Trash2 size={15} aria-hidden />
              </ActionIcon>
            </div>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={!isNarrowed(search) && search.status === undefined} onClick={() => setSaving(true)}>
            {incidentListText('view.save')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {wanted && (
        <Suspense fallback={null}>
          <SaveView opened={saving} search={asKept(search)} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  )
}
