/** The form for new and existing heartbeats. The schemas of the api check what is typed. */
import { Checkbox, Input, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useQuery } from '@tanstack/react-query'
import { heartbeatsQuery } from '../../api/lists.ts'
import { Duration } from '../../forms/Duration.tsx'
import { Form, Group } from '../../forms/Form.tsx'
import { TagsInput } from '../../forms/late-fields.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { heartbeatFormText } from '../../texts/heartbeat-form.ts'
import { statusText } from '../../texts/status.ts'
import classes from './HeartbeatForm.module.css'
import { PingRules } from './PingRules.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { defaultGrace, scheduleChanged, type Values } from './values.ts'
import { spanInWords } from './words.ts'

export interface HeartbeatFormProps {
  form: FormState<Values>
  verb: string
  onCancel: () => void
  /** The current settings. Null for a new heartbeat. */
  before: Values | null
}

const severities = ['critical', 'warning', 'info'] as const

export function HeartbeatForm({ form, verb, onCancel, before }: HeartbeatFormProps) {
  const { values, set, fault, left } = form
  const { data: others } = useQuery(heartbeatsQuery())
  const tags = [...new Set(others?.items.flatMap((one) => one.tags))].sort()
  const usual = spanInWords(defaultGrace(values))
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      <Group title={heartbeatFormText('job.title')}>
        <TextInput
          label={heartbeatFormText('job.name')}
          placeholder={heartbeatFormText('job.example')}
          value={values.name}
          maxLength={200}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
          required
          withAsterisk={false}
          data-autofocus
        />
        <ScheduleFields form={form} />
        {before && scheduleChanged(before, values) && (
          <Checkbox
            label={heartbeatFormText('job.keep')}
            description={heartbeatFormText('job.keep_hint')}
            checked={values.keep_phase}
            onChange={(event) => set({ keep_phase: event.currentTarget.checked })}
          />
        )}
      </Group>
      <Group title={heartbeatFormText('limits.title')}>
        <Duration
          label={heartbeatFormText('grace.label')}
          description={heartbeatFormText(`grace.${values.kind}`, { usual })}
          placeholder={usual}
          value={values.grace_seconds ?? Number.NaN}
          onChange={(seconds) => set({ grace_seconds: orNull(seconds) })}
          onBlur={() => left('grace_seconds')}
          error={fault('grace_seconds')}
        />
        <Duration
          label={heartbeatFormText('longest.label')}
          description={heartbeatFormText('longest.hint')}
          placeholder={heartbeatFormText('limits.none')}
          value={values.max_run_seconds ?? Number.NaN}
          onChange={(seconds) => set({ max_run_seconds: orNull(seconds) })}
          onBlur={() => left('max_run_seconds')}
          error={fault('max_run_seconds')}
        />
        <Duration
          label={heartbeatFormText('shortest.label')}
          description={heartbeatFormText('shortest.hint')}
          placeholder={heartbeatFormText('limits.none')}
          value={values.min_run_seconds ?? Number.NaN}
          onChange={(seconds) => set({ min_run_seconds: orNull(seconds) })}
          onBlur={() => left('min_run_seconds')}
          error={fault('min_run_seconds')}
        />
        <div>
          <Input.Label id="severity" className={classes.label}>
            {heartbeatFormText('limits.severity')}
          </Input.Label>
          <SegmentedControl
            aria-labelledby="severity"
            data={severities.map((value) => ({ value, label: statusText(`severity.${value}`) }))}
            value={values.severity}
            onChange={(severity) => set({ severity: severities.find((one) => one === severity) ?? 'critical' })}
          />
        </div>
      </Group>
      <PingRules form={form} />
      <Group title={heartbeatFormText('find.title')}>
        <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} />
        <TagsInput
          label={heartbeatFormText('find.tags')}
          description={heartbeatFormText('find.tags_hint')}
          data={tags}
          value={values.tags}
          onChange={(next) => set({ tags: next })}
          onBlur={() => left('tags')}
          error={fault('tags')}
          maxTags={20}
          clearable
        />
        <TextInput
          label={heartbeatFormText('find.slug')}
          description={heartbeatFormText(before ? 'find.slug_known' : 'find.slug_new')}
          value={values.slug}
          maxLength={100}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          onBlur={() => left('slug')}
          error={fault('slug')}
          autoComplete="off"
          spellCheck={false}
        />
        <Textarea
          label={heartbeatFormText('find.description')}
          description={heartbeatFormText('find.description_hint')}
          value={values.description}
          maxLength={4000}
          autosize
          minRows={2}
          maxRows={10}
          onChange={(event) => set({ description: event.currentTarget.value })}
          onBlur={() => left('description')}
          error={fault('description')}
        />
      </Group>
    </Form>
  )
}

/** An empty field (NaN) becomes null. */
const orNull = (seconds: number): number | null => (Number.isNaN(seconds) ? null : seconds)
