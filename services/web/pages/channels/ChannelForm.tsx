/** The fields of a channel: those of its kind, its team, and the events it is notified of. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { channelEvents, kindsWithoutDegraded, offeredEvents } from '../../../../schemas/http/notification-words.ts'
import { teamsQuery } from '../../api/lists.ts'
import type { ChannelKindItem, NotificationChannel } from '../../api/shapes.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Group } from '../../forms/Form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { channelsText } from '../../texts/channels.ts'
import classes from './Channel.module.css'
import { ConfigFields } from './ConfigFields.tsx'
import { type Config, configFields } from './config-fields.ts'

export interface ChannelValues {
  name: string
  team_id: string
  config: Config
  events: NotificationChannel['events']
  min_severity: NotificationChannel['min_severity']
  is_default: boolean
  allowed_team_ids: readonly string[]
}

const severities = ['info', 'warning', 'critical'] as const

export interface ChannelFieldsProps {
  kind: ChannelKindItem
  form: FormState<ChannelValues>
  /** The saved config. Null for a new channel. */
  before: Config | null
}

export function ChannelFields({ kind, form: { values, set, fault, left }, before }: ChannelFieldsProps) {
  const managed = useManagedTeams()
  const [stored] = useState(values.events)
  return (
    <>
      <Group
        title={kind.name}
        hint={
          <>
            {kind.hint}{' '}
            <a href={`/docs/guides/channels/${kind.kind}`} target="_blank" rel="noreferrer">
              {channelsText('form.guide')}
            </a>
          </>
        }
      >
        <TextInput
          label={channelsText('form.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
          withAsterisk
        />
        {before?.mode === 'oauth' ? (
          <p>{channelsText('app.kept', { name: kind.name })}</p>
        ) : (
          <ConfigFields
            fields={configFields(kind.schema)}
            before={before}
            config={values.config}
            onChange={(config) => set({ config })}
            fault={fault}
          />
        )}
      </Group>
      <Group title={channelsText('form.events')}>
        <Checkbox.Group
          aria-label={channelsText('form.events')}
          value={values.events}
          onChange={(events) => set({ events: channelEvents.filter((event) => events.includes(event)) })}
          error={fault('events')}
        >
          <div className={classes.checks}>
            {offeredEvents(stored).map((event) => (
              <Checkbox
                key={event}
                value={event}
                label={channelsText(`event.${event}`)}
                description={
                  event === 'degraded' && kindsWithoutDegraded.includes(kind.kind) ? channelsText('form.no_degraded') : undefined
                }
              />
            ))}
          </div>
        </Checkbox.Group>
        <NativeSelect
          label={channelsText('form.severity')}
          data={severities.map((value) => ({ value, label: channelsText(`severity.${value}`) }))}
          value={values.min_severity}
          onChange={(event) => set({ min_severity: severities.find((one) => one === event.currentTarget.value) ?? 'info' })}
          error={fault('min_severity')}
        />
        <Checkbox
          label={channelsText('form.default')}
          checked={values.is_default}
          onChange={(event) => set({ is_default: event.currentTarget.checked })}
          error={fault('is_default')}
        />
      </Group>
      <Teams values={values} set={set} fault={fault} managed={managed} />
    </>
  )
}

type TeamsProps = Pick<FormState<ChannelValues>, 'values' | 'set' | 'fault'> & { managed: ReturnType<typeof useManagedTeams> }

/**
 * The channel's team, and the private teams whose events it may receive. Shows nothing when the
 * workspace has no teams.
 */
function Teams({ values, set, fault, managed }: TeamsProps) {
  const teams = useQuery(teamsQuery).data?.items ?? []
  if (teams.length === 0) return null
  const { team_id, allowed_team_ids } = values
  // A person who does not manage a team can withdraw its permission, but cannot give it.
  const offered = teams.filter(
    ({ id, visibility }) =>
      visibility === 'private' && id !== team_id && (allowed_team_ids.includes(id) || managed.some((one) => one.id === id))
  )
  return (
    <Group title={channelsText('form.teams')}>
      <TeamSelect value={team_id} onChange={(id) => set({ team_id: id })} error={fault('team_id')} offered={managed} />
      {offered.length > 0 && (
        <Checkbox.Group
          label={channelsText('form.allowed')}
          description={channelsText('form.allowed_hint')}
          value={[...allowed_team_ids]}
          onChange={(ids) => set({ allowed_team_ids: ids })}
          error={fault('allowed_team_ids')}
        >
          <div className={classes.checks}>
            {offered.map(({ id, name }) => (
              <Checkbox key={id} value={id} label={name} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </Group>
  )
}
