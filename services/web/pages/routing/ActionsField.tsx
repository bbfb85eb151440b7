/** What a rule does with an alert. Anything that is not set stays as it is. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { groupFields, MAX_GROUP_FIELDS, MAX_RULE_CHANNELS, priorities } from '../../../../schemas/http/routing-words.ts'
import { channelsQuery } from '../../api/channels.ts'
import { teamsQuery } from '../../api/lists.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Duration } from '../../forms/Duration.tsx'
import { MultiSelect, TagsInput } from '../../forms/late-fields.tsx'
import { Pairs } from '../../forms/Pairs.tsx'
import { PolicySelect } from '../../forms/PolicySelect.tsx'
import { teamChoices } from '../../forms/team-choices.ts'
import { severityLook } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { routingText } from '../../texts/routing.ts'
import { severities } from '../incidents/search.ts'
import classes from './RuleForm.module.css'
import type { RuleFormState } from './RuleForm.tsx'
import { type Choice3, NO_POLICY } from './rule-values.ts'

const asIs = { value: '', label: routingText('form.as_is') }
const three = ['yes', 'no'] as const
const someChannels = ['these', 'none'] as const

interface ThreeProps {
  label: string
  yes: string
  no: string
  value: Choice3
  onChange: (value: Choice3) => void
  error?: string | undefined
}

function Three({ label, yes, no, value, onChange, error }: ThreeProps) {
  return (
    <NativeSelect
      label={label}
      data={[asIs, { value: 'yes', label: yes }, { value: 'no', label: no }]}
      value={value}
      onChange={(event) => onChange(wordOf(event.currentTarget.value, three) ?? '')}
      error={error}
    />
  )
}

export function ActionsField({ form }: { form: RuleFormState }) {
  const { values, set, fault } = form
  const teams = useQuery(teamsQuery).data?.items ?? []
  const managed = useManagedTeams()
  return (
    <>
      <div className={classes.actions}>
        <NativeSelect
          label={routingText('form.promote')}
          data={[
            asIs,
            { value: 'never', label: routingText('form.promote_never') },
            { value: 'always', label: routingText('form.promote_always') }
          ]}
          value={values.promote}
          onChange={(event) => set({ promote: event.currentTarget.value })}
          error={fault('actions.promote')}
        />
        <Three
          label={routingText('form.suppress')}
          yes={routingText('form.suppress_yes')}
          no={routingText('form.suppress_no')}
          value={values.suppress}
          onChange={(suppress) => set({ suppress })}
          error={fault('actions.suppress')}
        />
        <NativeSelect
          label={routingText('form.team')}
          data={teamChoices(managed, teams, values.team_id, routingText('form.as_is'))}
          value={values.team_id}
          onChange={(event) => set({ team_id: event.currentTarget.value })}
          error={fault('actions.team_id')}
        />
        <NativeSelect
          label={routingText('form.severity')}
          data={[asIs, ...severities.map((severity) => ({ value: severity as string, label: severityLook(severity).word }))]}
          value={values.severity}
          onChange={(event) => set({ severity: event.currentTarget.value })}
          error={fault('actions.severity')}
        />
        <NativeSelect
          label={routingText('form.priority')}
          data={[asIs, ...priorities.map((priority) => ({ value: priority as string, label: priority }))]}
          value={values.priority}
          onChange={(event) => set({ priority: event.currentTarget.value })}
          error={fault('actions.priority')}
        />
        <Three
          label={routingText('form.major')}
          yes={routingText('form.yes')}
          no={routingText('form.no')}
          value={values.is_major}
          onChange={(is_major) => set({ is_major })}
        />
        <Three
          label={routingText('form.notify')}
          yes={routingText('form.yes')}
          no={routingText('form.no')}
          value={values.notify_resolved}
          onChange={(notify_resolved) => set({ notify_resolved })}
        />
        <Three
          label={routingText('form.group')}
          yes={routingText('form.group_on')}
          no={routingText('form.group_off')}
          value={values.group}
          onChange={(group) => set({ group })}
        />
        <Three
          label={routingText('form.resolve')}
          yes={routingText('form.resolve_on')}
          no={routingText('form.resolve_off')}
          value={values.resolve}
          onChange={(resolve) => set({ resolve })}
        />
        <PolicySelect
          label={routingText('form.policy')}
          first={[asIs, { value: NO_POLICY, label: routingText('form.policy_nobody') }]}
          value={values.policy}
          onChange={(policy) => set({ policy })}
          error={fault('actions.escalation_policy_id')}
        />
        <NativeSelect
          label={routingText('form.channels')}
          data={[
            asIs,
            { value: 'these', label: routingText('form.channels_on') },
            { value: 'none', label: routingText('form.channels_off') }
          ]}
          value={values.channels}
          onChange={(event) => set({ channels: wordOf(event.currentTarget.value, someChannels) ?? '' })}
        />
      </div>
      <Channels form={form} />
      <Grouping form={form} />
      <Resolving form={form} />
      <Pairs
        label={routingText('form.labels')}
        nameLabel={routingText('form.label_name')}
        pairs={values.labels}
        onChange={(labels) => set({ labels })}
        fresh=""
        addLabel={routingText('form.label_add')}
        error={fault('actions.labels_add')}
        field={(value, onChange, label) => (
          <TextInput aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
        )}
      />
    </>
  )
}

/** A rule that notifies chosen channels must name one: without any it would notify none. */
function Channels({ form: { values, set, fault } }: { form: RuleFormState }) {
  const channels = useQuery(channelsQuery).data?.items
  if (values.channels !== 'these') return null
  const offered = (channels ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const gone = values.channel_ids
    .filter((id) => !offered.some(({ value }) => value === id))
    .map((value) => ({ value, label: channels ? routingText('form.gone') : '…' }))
  return (
    <div className={classes.inner}>
      <MultiSelect
        label={routingText('form.channels_on')}
        description={routingText('form.channels_hint', { count: MAX_RULE_CHANNELS })}
        placeholder={routingText('form.channels_choose')}
        data={[...offered, ...gone]}
        maxValues={MAX_RULE_CHANNELS}
        value={values.channel_ids}
        onChange={(channel_ids) => set({ channel_ids })}
        error={fault('actions.channel_ids')}
        searchable
        openOnFocus={false}
      />
    </div>
  )
}

function Grouping({ form: { values, set, fault, left } }: { form: RuleFormState }) {
  if (values.group !== 'yes') return null
  return (
    <div className={classes.inner}>
      <TagsInput
        label={routingText('form.group_by')}
        description={routingText('form.group_by_hint', { count: MAX_GROUP_FIELDS })}
        data={[...groupFields]}
        maxTags={MAX_GROUP_FIELDS}
        value={values.group_by}
        onChange={(group_by) => set({ group_by })}
        onBlur={() => left('actions.group.by')}
        error={fault('actions.group.by')}
      />
      <Duration
        label={routingText('form.group_window')}
        description={routingText('form.group_window_hint')}
        value={values.group_seconds}
        onChange={(group_seconds) => set({ group_seconds })}
        onBlur={() => left('actions.group.window_seconds')}
        error={fault('actions.group.window_seconds')}
      />
      <TextInput
        label={routingText('form.group_max')}
        inputMode="numeric"
        value={Number.isNaN(values.group_max) ? '' : String(values.group_max)}
        onChange={(event) => set({ group_max: event.currentTarget.value === '' ? Number.NaN : Number(event.currentTarget.value) })}
        onBlur={() => left('actions.group.max_alerts')}
        error={fault('actions.group.max_alerts')}
      />
    </div>
  )
}

function Resolving({ form: { values, set, fault, left } }: { form: RuleFormState }) {
  if (values.resolve !== 'yes') return null
  return (
    <div className={classes.inner}>
      <Duration
        label={routingText('form.resolve_after')}
        value={values.resolve_seconds}
        onChange={(resolve_seconds) => set({ resolve_seconds })}
        onBlur={() => left('actions.auto_resolve_minutes')}
        error={fault('actions.auto_resolve_minutes')}
      />
    </div>
  )
}
