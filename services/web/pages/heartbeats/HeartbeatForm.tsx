/** One form for new heartbeats and for changes; the api's own schemas judge what is typed. */
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
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './HeartbeatForm.module.css'
import { PingRules } from './PingRules.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { defaultGrace, scheduleChanged, type Values } from './values.ts'
import { spanInWords } from './words.ts'

export interface HeartbeatFormProps {
  form: FormState<Values>
  verb: string
  onCancel: () => void
  /** What the heartbeat is set to; null: it is new. */
  before: Values | null
}

const severities = [
  { value: 'critical', label: 'Critical' },
  { value: 'warning', label: 'Warning' },
  { value: 'info', label: 'Info' }
] as const

export function HeartbeatForm({ form, verb, onCancel, before }: HeartbeatFormProps) {
  const { values, set, fault, left } = form
  const { data: others } = useQuery(heartbeatsQuery())
  const tags = [...new Set(others?.items.flatMap((one) => one.tags))].sort()
  const usual = spanInWords(defaultGrace(values))
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      <Group title="The job">
        <TextInput
          label="Name"
          placeholder="Nightly backup"
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
            label="Keep its state"
            description="Then the new schedule applies from the next ping. Otherwise the heartbeat counts as up and waits for a first ping on the new schedule."
            checked={values.keep_phase}
            onChange={(event) => set({ keep_phase: event.currentTarget.checked })}
          />
        )}
      </Group>
      <Group title="When it counts as missed or failed">
        <Duration
          label="Grace period"
          description={`How late a ping may be. Empty: ${usual}${values.kind === 'period' ? ', a fifth of the period and at least a minute' : ', as for every cron expression'}.`}
          placeholder={usual}
          value={values.grace_seconds ?? Number.NaN}
          onChange={(seconds) => set({ grace_seconds: orNull(seconds) })}
          onBlur={() => left('grace_seconds')}
          error={fault('grace_seconds')}
        />
        <Duration
          label="Longest run"
          description="If a job pinged /start and has not finished after this time, it has failed. Leave empty for no limit."
          placeholder="No limit"
          value={values.max_run_seconds ?? Number.NaN}
          onChange={(seconds) => set({ max_run_seconds: orNull(seconds) })}
          onBlur={() => left('max_run_seconds')}
          error={fault('max_run_seconds')}
        />
        <Duration
          label={heartbeatsText('form.shortest')}
          description={heartbeatsText('form.shortest_hint')}
          placeholder={heartbeatsText('form.no_limit')}
          value={values.min_run_seconds ?? Number.NaN}
          onChange={(seconds) => set({ min_run_seconds: orNull(seconds) })}
          onBlur={() => left('min_run_seconds')}
          error={fault('min_run_seconds')}
        />
        <div>
          <Input.Label id="severity" className={classes.label}>
            Severity of incidents
          </Input.Label>
          <SegmentedControl
            aria-labelledby="severity"
            data={[...severities]}
            value={values.severity}
            onChange={(severity) => set({ severity: severities.find(({ value }) => value === severity)?.value ?? 'critical' })}
          />
        </div>
      </Group>
      <PingRules form={form} />
      <Group title="How to find it">
        <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} />
        <TagsInput
          label="Tags"
          description="At most 20. Press Enter or a comma after each."
          data={tags}
          value={values.tags}
          onChange={(next) => set({ tags: next })}
          onBlur={() => left('tags')}
          error={fault('tags')}
          maxTags={20}
          clearable
        />
        <TextInput
          label="Slug"
          description={`For an address that can be read: small letters, digits, - and _. ${before ? 'Empty: no such address.' : 'Empty: made of the name.'}`}
          value={values.slug}
          maxLength={100}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          onBlur={() => left('slug')}
          error={fault('slug')}
          autoComplete="off"
          spellCheck={false}
        />
        <Textarea
          label="Description"
          description="What the job does, and what to do when a ping is missed"
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

/** Nothing typed is null. */
const orNull = (seconds: number): number | null => (Number.isNaN(seconds) ? null : seconds)
