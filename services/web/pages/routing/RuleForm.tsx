/** The form of a rule: which alerts it takes, when, and what becomes of them. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { MAX_CONDITIONS } from '../../../../schemas/http/routing-words.ts'
import { Folded, Form, Group } from '../../forms/Form.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { text } from '../../texts/catalogue.ts'
import { ActionsField } from './ActionsField.tsx'
import { ConditionsField } from './ConditionsField.tsx'
import type { RuleValues } from './rule-values.ts'
import { WindowFields } from './WindowFields.tsx'

export type RuleFormState = FormState<RuleValues>

export interface RuleFormProps {
  form: RuleFormState
  verb: string
  isNew: boolean
  onCancel: () => void
  /** Reads the rule again, after somebody else has changed it. */
  again?: () => void
}

export function RuleForm({ form, verb, isNew, onCancel, again }: RuleFormProps) {
  const { values, set, fault, left, refusal } = form
  const isOld = refusal?.code === 'VERSION_MISMATCH' && again
  return (
    <Form
      form={form}
      verb={verb}
      onCancel={onCancel}
      aside={
        isOld && (
          <Button variant="default" onClick={again}>
            {text('routing', 'form.again')}
          </Button>
        )
      }
    >
      <Group title={text('routing', 'form.general')}>
        <TextInput
          label={text('routing', 'form.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <Textarea
          label={text('routing', 'form.description')}
          description={text('routing', 'form.description_hint')}
          autosize
          minRows={1}
          maxRows={6}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fault('description')}
        />
        {isNew && (
          <NativeSelect
            label={text('routing', 'form.place')}
            data={[
              { value: 'last', label: text('routing', 'form.place_last') },
              { value: 'first', label: text('routing', 'form.place_first') }
            ]}
            value={values.place}
            onChange={(event) => set({ place: event.currentTarget.value === 'first' ? 'first' : 'last' })}
          />
        )}
        <Checkbox
          label={text('routing', 'form.enabled')}
          checked={values.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Group>
      <Group title={text('routing', 'form.match')} hint={text('routing', 'form.match_hint', { count: MAX_CONDITIONS })}>
        <ConditionsField form={form} />
        <Checkbox
          label={text('routing', 'form.window_on')}
          checked={values.hasWindow}
          onChange={(event) => set({ hasWindow: event.currentTarget.checked })}
        />
        {values.hasWindow && (
          <WindowFields
            label={text('routing', 'form.window')}
            window={values.window}
            onChange={(window) => set({ window })}
            fault={(field) => fault(`time_window.${field}`)}
          />
        )}
      </Group>
      <Group title={text('routing', 'form.actions')}>
        <ActionsField form={form} />
      </Group>
      <Folded
        title={text('routing', 'form.more')}
        summary={text('routing', 'form.more_summary')}
        faulty={fault('expires_at') !== undefined || fault('mode') !== undefined}
      >
        <Checkbox
          label={text('routing', 'form.continue')}
          description={text('routing', 'form.continue_hint')}
          checked={values.continue}
          onChange={(event) => set({ continue: event.currentTarget.checked })}
        />
        <TextInput
          type="datetime-local"
          label={text('routing', 'form.expires')}
          description={text('routing', 'form.expires_hint')}
          value={values.expires}
          onChange={(event) => set({ expires: event.currentTarget.value })}
          error={fault('expires_at')}
        />
        <NativeSelect
          label={text('routing', 'form.mode')}
          data={[
            { value: 'live', label: text('routing', 'form.mode_live') },
            { value: 'shadow', label: text('routing', 'form.mode_shadow') }
          ]}
          value={values.mode}
          onChange={(event) => set({ mode: event.currentTarget.value === 'shadow' ? 'shadow' : 'live' })}
          error={fault('mode')}
        />
      </Folded>
    </Form>
  )
}
