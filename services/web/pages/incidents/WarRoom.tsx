/** The war room of an incident in a chat service: a link to it, or a button to open one. */
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { channelKindsQuery, channelsQuery } from '../../api/channels.ts'
import { openWarRoom } from '../../api/incidents.ts'
import { incidentQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { warRoomsText } from '../../texts/war-rooms.ts'
import classes from './WarRoom.module.css'

const AGAIN_MS = 1500

export function WarRoom({ incident }: { incident: Incident }) {
  const may = useMay('act')
  const { war_room: room, status } = incident
  const isOpening = room?.state === 'opening'
  // Poll while the room opens: no live frame reports that it is open.
  useQuery({ ...incidentQuery(incident.id), enabled: isOpening, refetchInterval: AGAIN_MS })
  const mayOpen = may && status === 'ongoing' && (room === null || room.state === 'failed')
  if (room === null && !mayOpen) return null
  return <Shown incident={incident} mayOpen={mayOpen} />
}

function Shown({ incident, mayOpen }: { incident: Incident; mayOpen: boolean }) {
  const { war_room: room } = incident
  const channels = useAppChannels(mayOpen)
  if (room === null && channels.length === 0) return null
  return (
    <Section title={warRoomsText('room.title')}>
      {room?.state === 'opening' && <p role="status">{warRoomsText('room.opening')}</p>}
      {room?.state === 'open' && room.url !== null && (
        <p className={classes.room}>
          <a href={room.url} target="_blank" rel="noreferrer">
            #{room.name}
          </a>
          {room.private && <span>{warRoomsText('room.private')}</span>}
        </p>
      )}
      {room?.error && (
        <p className={classes.error}>{warRoomsText(room.state === 'failed' ? 'room.failed' : 'room.problem', { error: room.error })}</p>
      )}
      {mayOpen && channels.length > 0 && <Open incident={incident} channels={channels} />}
    </Section>
  )
}

/** Returns the channels whose apps can open war rooms. */
function useAppChannels(wanted: boolean) {
  const { data: kinds } = useQuery({ ...channelKindsQuery, enabled: wanted })
  const { data } = useQuery({ ...channelsQuery, enabled: wanted && (kinds?.items.some(({ app }) => app?.set_up) ?? false) })
  return (data?.items ?? []).filter(
    ({ kind, config, enabled, health }) => kind === 'slack' && config.mode === 'oauth' && enabled && health.state !== 'disabled'
  )
}

interface OpenProps {
  incident: Incident
  channels: readonly { id: string; name: string; target: string }[]
}

function Open({ incident, channels }: OpenProps) {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState('')
  const channel_id = chosen || (channels[0]?.id ?? '')
  const open = useMutation({
    mutationFn: () => openWarRoom(incident.id, { channel_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['incidents', 'one', incident.id] }),
    onError: (error) => tellRefused(warRoomsText('room.what'), error)
  })
  return (
    <>
      <p className={classes.hint}>{warRoomsText(incident.visibility === 'private' ? 'room.hint_private' : 'room.hint')}</p>
      {channels.length > 1 && (
        <NativeSelect
          label={warRoomsText('room.in')}
          data={channels.map(({ id, name }) => ({ value: id, label: name }))}
          value={channel_id}
          onChange={(event) => setChosen(event.currentTarget.value)}
          mb="sm"
        />
      )}
      <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
        {warRoomsText(incident.war_room === null ? 'room.open' : 'room.again')}
      </Button>
    </>
  )
}
