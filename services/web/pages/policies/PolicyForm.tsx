/** The form of a policy: its steps, and what happens to an incident that nobody acknowledges. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { MAX_REPEAT } from '../../../../schemas/http/escalation-words.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { NumberInput } from '../../forms/late-fields.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { policiesText } from '../../texts/policies.ts'
import type { PolicyValues } from './policy-values.ts'
import { StepsField } from './StepsField.tsx'

export type PolicyFormState = FormState<PolicyValues>

export interface PolicyFormProps {
  form: PolicyFormState
  verb: string
  onCancel?: () => void
  /** Reads the policy again, after somebody else has changed it. */
  again?: () => void
}

const repeats = Array.from({ length: MAX_REPEAT + 1 }, (_, count) => ({
  value: String(count),
  label: count < 2 ? policiesText(count === 0 ? 'form.repeat_none' : 'form.repeat_once') : policiesText('form.repeat_more', { count })
}))

export function PolicyForm({ form, verb, onCancel, again }: PolicyFormProps) {
  const { values, set, fault, left, refusal } = form
  const isOld = refusal?.code === 'VERSION_MISMATCH' && again
  const managed = useManagedTeams()
  return (
    <Form
      form={form}
      verb={verb}
      {...(onCancel && { onCancel })}
      aside={
        isOld && (
          <Button variant="default" onClick={again}>
            {policiesText('form.again')}
          </Button>
        )
      }
    >
      <Group title={policiesText('form.general')}>
        <TextInput
          label={policiesText('form.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <Textarea
          label={policiesText('form.description')}
          description={policiesText('form.description_hint')}
          autosize
          minRows={1}
          maxRows={6}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fault('description')}
        />
        <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} offered={managed} />
      </Group>
      <StepsField form={form} />
      <Group title={policiesText('form.again_title')}>
        <NativeSelect
          label={policiesText('form.repeat')}
          description={policiesText('form.repeat_hint')}
          data={repeats}
          value={String(values.repeat)}
          onChange={(event) => set({ repeat: Number(event.currentTarget.value) })}
          error={fault('repeat')}
        />
        <Minutes
          label={policiesText('form.max_duration')}
          description={policiesText('form.max_duration_hint')}
          value={values.max_duration_minutes}
          onChange={(max_duration_minutes) => set({ max_duration_minutes })}
          onBlur={() => left('max_duration_minutes')}
          error={fault('max_duration_minutes')}
        />
        <Checkbox
          label={policiesText('form.ack_timeout_on')}
          checked={values.hasAckTimeout}
          onChange={(event) => set({ hasAckTimeout: event.currentTarget.checked })}
        />
        {values.hasAckTimeout && (
          <Minutes
            label={policiesText('form.ack_timeout')}
            description={policiesText('form.ack_timeout_hint')}
            value={values.ack_timeout_minutes}
            onChange={(ack_timeout_minutes) => set({ ack_timeout_minutes })}
            onBlur={() => left('ack_timeout_minutes')}
            error={fault('ack_timeout_minutes')}
          />
        )}
      </Group>
    </Form>
  )
}

interface MinutesProps {
  label: string
  description: ReactNode
  /** NaN while nothing is typed. */
  value: number
  onChange: (value: number) => void
  onBlur: () => void
  error: string | undefined
}

function Minutes({ value, onChange, ...field }: MinutesProps) {
  return (
    <NumberInput
      {...field}
      value={Number.isNaN(value) ? '' : value}
      min={0}
      allowDecimal={false}
      clampBehavior="none"
      onChange={(typed) => onChange(typeof typed === 'number' ? typed : Number.NaN)}
    />
  )
}
