/** Message templates: the messages that the workspace words itself. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageSquareText, Plus } from 'lucide-react'
import { useMay } from '../../api/session.ts'
import type { MessageTemplate } from '../../api/shapes.ts'
import { resetTemplate, templatesQuery } from '../../api/templates.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import { templatesText } from '../../texts/templates.ts'
import classes from '../settings/List.module.css'
import { useKinds } from './names.ts'

function answerOf(total: number | undefined): string {
  if (total === undefined) return templatesText('page.title')
  if (total === 0) return templatesText('answer.none')
  return total === 1 ? templatesText('answer.one') : templatesText('answer.many', { count: total })
}

export function Templates() {
  const may = useMay('write')
  const asked = useQuery(templatesQuery())
  const { data } = asked
  const button = may ? (
    <Button leftSection={<Plus size={16} aria-hidden />} component={Link} to="/settings/templates/new">
      {templatesText('page.add')}
    </Button>
  ) : null
  const isEmpty = data?.total === 0
  return (
    <>
      <PageHead title={templatesText('page.title')} answer={answerOf(data?.total)} actions={isEmpty ? null : button}>
        <span>{templatesText('page.how')}</span>
        {!may && <span>{templatesText('page.read_only')}</span>}
      </PageHead>
      {!data ? (
        <Awaiting of={asked} rows={3} height={64} />
      ) : isEmpty ? (
        <Empty icon={MessageSquareText} title={templatesText('empty.title')} action={button}>
          {templatesText('empty.hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={templatesText('page.title')}>
          {data.items.map((template) => (
            <Row key={template.id} template={template} may={may} />
          ))}
        </ul>
      )}
    </>
  )
}

function Row({ template, may }: { template: MessageTemplate; may: boolean }) {
  const { id, kind, event, title, body } = template
  const { nameOf } = useKinds()
  const queries = useQueryClient()
  const words = { event: channelsText(`event.${event}`), kind: nameOf(kind) }
  const name = templatesText('form.edit_answer', words)
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{name}</p>
        <p className={classes.facts}>
          <span className={classes.line}>{title ?? templatesText('list.own_title')}</span>
          {body !== null && <span className={classes.line}>{body}</span>}
        </p>
      </div>
      {may && (
        <div className={classes.actions}>
          <Button
            variant="default"
            aria-label={`${templatesText('list.edit')}: ${name}`}
            renderRoot={(props) => <Link {...props} to="/settings/templates/$id" params={{ id }} />}
          >
            {templatesText('list.edit')}
          </Button>
          <Confirm
            label={templatesText('reset.verb')}
            aria-label={`${templatesText('reset.verb')}: ${name}`}
            question={templatesText('reset.question')}
            verb={templatesText('reset.verb')}
            act={async () => {
              await resetTemplate(template)
              await queries.invalidateQueries({ queryKey: ['templates'] })
              tellDone(templatesText('reset.done'))
            }}
          >
            {templatesText('reset.hint', words)}
          </Confirm>
        </div>
      )}
    </li>
  )
}
