/** Filters that were set from another page or under "more filters". Each can be removed. */
import { UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { heartbeatQuery, integrationsQuery, monitorQuery } from '../../api/lists.ts'
import { useNames } from '../../api/names.ts'
import classes from '../../parts/Filters.module.css'
import { incidentListText } from '../../texts/incident-list.ts'
import { namesText } from '../../texts/names.ts'
import { postmortemsText } from '../../texts/postmortems.ts'
import type { FiltersProps } from './Filters.tsx'
import { kindWords } from './filter-words.ts'
import { NOBODY } from './search.ts'

type ChipsProps = Pick<FiltersProps, 'search' | 'change'>

export function FilterChips({ search, change }: ChipsProps) {
  return (
    <>
      <Whence search={search} change={change} />
      <Whose search={search} change={change} />
    </>
  )
}

/** The filters for the assignee, the kind of source and a label. Each can be removed. */
function Whose({ search: { assignee, source_kind, label }, change }: ChipsProps) {
  const nameOf = useNames()
  const name = assignee === NOBODY ? incidentListText('filter.nobody') : nameOf(`user:${assignee}`)
  return (
    <>
      {assignee !== undefined && (
        <Chip kind={incidentListText('filter.assignee')} name={name} remove={() => change({ assignee: undefined })} />
      )}
      {source_kind !== undefined && (
        <Chip kind={incidentListText('filter.source')} name={kindWords[source_kind]} remove={() => change({ source_kind: undefined })} />
      )}
      {label !== undefined && <Chip kind={incidentListText('filter.label')} name={label} remove={() => change({ label: undefined })} />}
    </>
  )
}

/** The monitor, heartbeat or integration from whose page the list was opened. It can be removed. */
function Whence({ search: { monitor_id, heartbeat_id, integration_id, tag }, change }: ChipsProps) {
  const monitor = useQuery({ ...monitorQuery(monitor_id ?? ''), enabled: monitor_id !== undefined })
  const heartbeat = useQuery({ ...heartbeatQuery(heartbeat_id ?? ''), enabled: heartbeat_id !== undefined })
  const integrations = useQuery({ ...integrationsQuery, enabled: integration_id !== undefined })
  const integration = integrations.data?.items.find(({ id }) => id === integration_id)
  return (
    <>
      {tag !== undefined && <Chip kind={postmortemsText('tags.chip')} name={tag} remove={() => change({ tag: undefined })} />}
      {monitor_id !== undefined && (
        <Chip kind={namesText('source.monitor')} name={monitor.data?.name} remove={() => change({ monitor_id: undefined })} />
      )}
      {heartbeat_id !== undefined && (
        <Chip kind={namesText('source.heartbeat')} name={heartbeat.data?.name} remove={() => change({ heartbeat_id: undefined })} />
      )}
      {integration_id !== undefined && (
        <Chip kind={namesText('source.inbound')} name={integration?.name} remove={() => change({ integration_id: undefined })} />
      )}
    </>
  )
}

function Chip({ kind, name = '…', remove }: { kind: string; name: string | undefined; remove: () => void }) {
  return (
    <span className={classes.chip}>
      <span>
        {kind}: <b>{name}</b>
      </span>
      <UnstyledButton className={classes.remove} onClick={remove} aria-label={incidentListText('filter.remove', { kind, name })}>
        <X size={15} aria-hidden />
      </UnstyledButton>
    </span>
  )
}
