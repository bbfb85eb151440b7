/** Creates or changes one template, and shows beside it what it says for a sample. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { isGone, Refusal } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { MessageTemplate, NewTemplate } from '../../api/shapes.ts'
import { changeTemplate, createTemplate, templateQuery } from '../../api/templates.ts'
import { useBegun } from '../../forms/useBegun.ts'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import { templatesText } from '../../texts/templates.ts'
import { useKinds } from './names.ts'
import { TemplateForm, type TemplateValues, textsOf } from './TemplateForm.tsx'

const back = { to: '/settings/templates', label: templatesText('page.title') } as const
const forbidden = new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })

/** Returns a function for the time after a change: it reads the list again and shows it. */
function useToList(): (changed: boolean) => void {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return (changed) => {
    if (changed) void queries.invalidateQueries({ queryKey: ['templates'] })
    void navigate({ to: '/settings/templates' })
  }
}

export function NewTemplatePage() {
  const may = useMay('write')
  const title = templatesText('form.new')
  return (
    <>
      <PageHead title={title} answer={title} back={back} />
      {may ? <Begun /> : <Problem error={forbidden} />}
    </>
  )
}

function Begun() {
  const toList = useToList()
  const initial: TemplateValues = { kind: '', event: 'down', title: '', body: '' }
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/templates.ts')).CreateTemplateBody,
    toBody: ({ kind, event, ...texts }) => ({ kind: kind === '' ? null : kind, event, ...textsOf(texts) }),
    save: (body) => createTemplate(body as NewTemplate),
    onSaved: () => {
      tellDone(templatesText('form.created'))
      toList(true)
    }
  })
  return <TemplateForm form={form} verb={templatesText('form.create')} onCancel={() => toList(false)} isNew />
}

export function TemplatePage() {
  const { id } = useParams({ from: '/inside/settings/templates/$id' })
  const may = useMay('write')
  const asked = useQuery(templateQuery(id))
  const { data: template, error } = asked
  if (may && template && !isGone(error)) return <Shown key={id} template={template} />
  const title = templatesText('form.edit')
  return (
    <>
      <PageHead title={title} answer={title} back={back} />
      {isGone(error) ? <Problem error={error} /> : may ? <Awaiting of={asked} rows={6} /> : <Problem error={forbidden} />}
    </>
  )
}

function Shown({ template }: { template: MessageTemplate }) {
  const { kind, event } = template
  const { nameOf } = useKinds()
  const { begun, onSet } = useBegun(template)
  const answer = templatesText('form.edit_answer', { event: channelsText(`event.${event}`), kind: nameOf(kind) })
  return (
    <>
      <PageHead title={templatesText('form.edit')} answer={answer} back={back} />
      <Change key={begun.version} template={begun} onSet={onSet} />
    </>
  )
}

function Change({ template, onSet }: { template: MessageTemplate; onSet: () => void }) {
  const { kind, event, title, body } = template
  const toList = useToList()
  const initial: TemplateValues = { kind: kind ?? '', event, title: title ?? '', body: body ?? '' }
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/templates.ts')).UpdateTemplateBody,
    toBody: textsOf,
    save: (changed) => changeTemplate(template, changed),
    onSaved: () => {
      tellDone(templatesText('form.saved'))
      toList(true)
    },
    onSet
  })
  return <TemplateForm form={form} verb={templatesText('form.save')} onCancel={() => toList(false)} isNew={false} />
}
