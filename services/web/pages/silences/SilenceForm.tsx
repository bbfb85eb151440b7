/** The form of a silence: what it matches, why and until when, and which alerts it matches now. */
import { Button, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { MAX_CONDITIONS } from '../../../../schemas/http/routing-words.ts'
import { previewQuery } from '../../api/silences.ts'
import { Form, Group } from '../../forms/Form.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Problem } from '../../parts/States.tsx'
import { incidentLook, Status } from '../../parts/Status.tsx'
import { silencesText } from '../../texts/silences.ts'
import { ConditionFields } from '../routing/ConditionsField.tsx'
import ruleClasses from '../routing/RuleForm.module.css'
import { newCondition, toCondition } from '../routing/rule-values.ts'
import { useThings } from '../routing/things.ts'
import listClasses from '../settings/List.module.css'
import { endAfter, HOUR_MS, type SilenceValues } from './silence-values.ts'

export interface SilenceFormProps {
  form: FormState<SilenceValues>
  verb: string
  onCancel: () => void
  /** True if the form was filled in already: what it matches is then shown at once. */
  looks: boolean
}

const spans = [
  ['form.hour', HOUR_MS],
  ['form.hours', 4 * HOUR_MS],
  ['form.day', 24 * HOUR_MS],
  ['form.week', 7 * 24 * HOUR_MS]
] as const

export function SilenceForm({ form, verb, onCancel, looks }: SilenceFormProps) {
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      <Group title={silencesText('form.matchers')} hint={silencesText('form.matchers_hint', { count: MAX_CONDITIONS })}>
        <Matchers form={form} />
      </Group>
      <Preview form={form} looks={looks} />
      <Group title={silencesText('form.why')}>
        <Textarea
          label={silencesText('form.comment')}
          description={silencesText('form.comment_hint')}
          autosize
          minRows={1}
          maxRows={6}
          value={values.comment}
          onChange={(event) => set({ comment: event.currentTarget.value })}
          onBlur={() => left('comment')}
          error={fault('comment')}
        />
        <TextInput
          type="datetime-local"
          label={silencesText('form.starts')}
          description={silencesText('form.starts_hint')}
          value={values.starts}
          onChange={(event) => set({ starts: event.currentTarget.value })}
          error={fault('starts_at')}
        />
        <TextInput
          type="datetime-local"
          label={silencesText('form.ends')}
          description={silencesText('form.ends_hint')}
          value={values.ends}
          onChange={(event) => set({ ends: event.currentTarget.value })}
          error={fault('ends_at')}
        />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame within the frame */}
        <div role="group" aria-label={silencesText('form.for')} className={listClasses.actions}>
          {spans.map(([key, ms]) => (
            <Button key={key} variant="default" onClick={() => set({ ends: endAfter(values.starts, ms, serverNow()) })}>
              {silencesText(key)}
            </Button>
          ))}
        </div>
      </Group>
    </Form>
  )
}

function Matchers({ form: { values, set, fault, left } }: { form: FormState<SilenceValues> }) {
  const { matchers } = values
  const things = useThings(matchers.map(({ field }) => field))
  const group = silencesText('form.conditions')
  return (
    <div className={ruleClasses.group}>
      <ol className={ruleClasses.conditions} aria-label={group}>
        {matchers.map((row, at) => (
          <ConditionFields
            key={row.key}
            row={row}
            place={{ at: at + 1, group }}
            things={things}
            fault={(field) => fault(`matchers[${at}].${field}`)}
            left={() => left(`matchers[${at}]`)}
            onChange={(next) => set({ matchers: matchers.map((one) => (one.key === row.key ? next : one)) })}
            onRemove={() => set({ matchers: matchers.filter((one) => one.key !== row.key) })}
          />
        ))}
      </ol>
      {fault('matchers') !== undefined && matchers.length === 0 && <p role="alert">{fault('matchers')}</p>}
      {matchers.length < MAX_CONDITIONS && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set({ matchers: [...matchers, newCondition(ownZone())] })}
        >
          {silencesText('form.add')}
        </Button>
      )}
    </div>
  )
}

/**
 * Ongoing alerts that the conditions match. They are read only on request, because each look costs
 * some work.
 */
function Preview({ form: { values }, looks }: { form: FormState<SilenceValues>; looks: boolean }) {
  const present = JSON.stringify(values.matchers.map(toCondition))
  const [asked, setAsked] = useState<string | null>(looks ? present : null)
  const { data, error, isFetching, refetch } = useQuery(previewQuery(asked))
  const look = (): void => (asked === present ? void refetch() : setAsked(present))
  return (
    <Section
      title={silencesText('preview.title')}
      aside={
        <Button variant="default" size="xs" loading={isFetching} onClick={look}>
          {asked === null ? silencesText('preview.ask') : silencesText('preview.again')}
        </Button>
      }
    >
      <div role="status">
        {asked === null && <p className={listClasses.note}>{silencesText('preview.hint')}</p>}
        {asked !== null && asked !== present && <p className={listClasses.note}>{silencesText('preview.old')}</p>}
        {data && (
          <p className={listClasses.note}>
            {data.total === 0
              ? silencesText('preview.none')
              : data.total === 1
                ? silencesText('preview.one')
                : silencesText('preview.some', { count: data.total })}{' '}
            {!data.complete && silencesText('preview.more')}
          </p>
        )}
      </div>
      {error && <Problem error={error} />}
      {data && data.alerts.length > 0 && (
        <ul className={listClasses.list} aria-label={silencesText('preview.title')}>
          {data.alerts.slice(0, 10).map((alert) => (
            <li key={alert.id} className={listClasses.row}>
              <Link to="/alerts/$id" params={{ id: alert.id }}>
                {alert.title}
              </Link>
              <Status look={incidentLook(alert)} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
