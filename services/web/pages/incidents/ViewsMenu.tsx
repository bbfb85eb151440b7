/** The menu of Views.tsx. */
import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { cloneElement, type ReactElement, type Ref } from 'react'
import type { SavedView } from '../../api/shapes.ts'
import { deleteView } from '../../api/views.ts'
import { useTakenPlace } from '../../parts/taken-place.ts'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { type IncidentsSearch, incidentsSearch, isNarrowed } from './search.ts'
import own from './Views.module.css'
import { commonViews } from './Views.tsx'

export interface ViewsMenuProps {
  button: ReactElement<{ ref?: Ref<HTMLButtonElement> }>
  opened: boolean
  onChange: (opened: boolean) => void
  /** The filters of the list as it is shown. */
  search: IncidentsSearch
  kept: readonly SavedView[]
  onSave: () => void
}

export function ViewsMenu({ button, opened, onChange, search, kept, onSave }: ViewsMenuProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { button: ref, isThere } = useTakenPlace()
  const open = (view: IncidentsSearch): void => void navigate({ to: '/incidents', search: view })
  const remove = useMutation({
    mutationFn: (id: string) => deleteView(id),
    onSuccess: () => tellDone(incidentListText('view.deleted')),
    onError: (error) => tellRefused(incidentListText('view.deleting'), error),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['views'] })
  })
  return (
    <Menu opened={isThere && opened} onChange={onChange} position="bottom-start" shadow="md" width={260}>
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
      <Menu.Dropdown>
        {commonViews.map((view) => (
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
        <Menu.Item aria-haspopup="dialog" disabled={!isNarrowed(search) && search.status === undefined} onClick={onSave}>
          {incidentListText('view.save')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
