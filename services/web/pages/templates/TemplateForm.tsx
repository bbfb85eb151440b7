/** The form of a template: which messages it is for, what they say, and the result for a sample. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { channelEvents, offeredEvents } from '../../../../schemas/http/notification-words.ts'
import { placeholders } from '../../../../schemas/http/template-words.ts'
import { toRefusal } from '../../api/client.ts'
import type { MessageTemplate, TemplateSample } from '../../api/shapes.ts'
import { templatePreviewQuery } from '../../api/templates.ts'
import { Folded, Form, Group } from '../../forms/Form.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { Section } from '../../parts/Page.tsx'
import { channelsText } from '../../texts/channels.ts'
import { templatesText } from '../../texts/templates.ts'
import { useKinds } from './names.ts'
import classes from './Template.module.css'

export interface TemplateValues {
  /** Empty: every kind. */
  kind: string
  event: MessageTemplate['event']
  title: string
  body: string
}

/** A text that is left empty uses the service's own words. */
export const textsOf = ({ title, body }: Pick<TemplateValues, 'title' | 'body'>) => ({
  title: title.trim() === '' ? null : title.trim(),
  body: body.trim() === '' ? null : body
})

export interface TemplateFormProps {
  form: FormState<TemplateValues>
  verb: string
  onCancel: () => void
  isNew: boolean
  /** The path at which the API names these texts; if absent, their own names are used. */
  at?: string
}

export function TemplateForm({ form, verb, onCancel, isNew, at }: TemplateFormProps) {
  const { values, set, fault: faultAt, left } = form
  const fault = (path: string): string | undefined => faultAt(path) ?? (at === undefined ? undefined : faultAt(`${at}.${path}`))
  const { kinds } = useKinds()
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      {isNew && (
        <Group title={templatesText('form.what')}>
          <NativeSelect
            label={templatesText('form.event')}
            data={offeredEvents([]).map((event) => ({ value: event, label: channelsText(`event.${event}`) }))}
            value={values.event}
            onChange={(event) => set({ event: channelEvents.find((one) => one === event.currentTarget.value) ?? 'down' })}
            error={fault('event')}
          />
          <NativeSelect
            label={templatesText('form.kind')}
            description={templatesText('form.kind_hint')}
            data={[{ value: '', label: templatesText('kind.any') }, ...kinds.map(({ kind, name }) => ({ value: kind, label: name }))]}
            value={values.kind}
            onChange={(event) => set({ kind: event.currentTarget.value })}
            error={fault('kind')}
          />
        </Group>
      )}
      <Group title={templatesText('form.words')}>
        <TextInput
          label={templatesText('form.title')}
          description={templatesText('form.title_hint')}
          value={values.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
          onBlur={() => left('title')}
          error={fault('title')}
        />
        <Textarea
          label={templatesText('form.body')}
          description={templatesText('form.body_hint')}
          autosize
          minRows={4}
          maxRows={16}
          value={values.body}
          onChange={(event) => set({ body: event.currentTarget.value })}
          onBlur={() => left('body')}
          error={fault('body')}
        />
        <Folded title={templatesText('form.places')} summary={templatesText('form.places_hint')} faulty={false}>
          <ul className={classes.places}>
            {Object.entries(placeholders).map(([name, what]) => (
              <li key={name}>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={templatesText('form.insert', { name, what })}
                  onClick={() => set({ body: `${values.body}{{${name}}}` })}
                >
                  <code>{`{{${name}}}`}</code>
                </Button>
                <span>{what}</span>
              </li>
            ))}
          </ul>
        </Folded>
      </Group>
      <Preview values={values} />
    </Form>
  )
}

/** The preview waits until nobody has typed for this long. */
const PAUSE_MS = 400

/** Returns the values as they were when the person stopped typing. */
function useSettled(values: TemplateValues): TemplateValues {
  const [settled, setSettled] = useState(values)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(values), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [values])
  return settled
}

function sampleOf({ event, ...values }: TemplateValues): TemplateSample | null {
  const texts = textsOf(values)
  return texts.title === null && texts.body === null ? null : { event, ...texts }
}

function Preview({ values }: { values: TemplateValues }) {
  const sample = sampleOf(useSettled(values))
  const { data, error } = useQuery({ ...templatePreviewQuery(sample), placeholderData: keepPreviousData })
  return (
    <Section title={templatesText('preview.title')}>
      <div role="status" className={classes.preview}>
        {sample === null ? (
          <p className={classes.quiet}>{templatesText('preview.empty')}</p>
        ) : error ? (
          <p className={classes.quiet}>{templatesText('preview.wrong', { message: toRefusal(error).message })}</p>
        ) : (
          data && (
            <>
              <p className={classes.title}>{data.title}</p>
              <p className={data.body === '' ? classes.quiet : classes.body}>{data.body || templatesText('preview.no_text')}</p>
            </>
          )
        )}
      </div>
    </Section>
  )
}
