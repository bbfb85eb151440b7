/** The field to write a comment. A comment is only text, so no form or schema is loaded for it. */
import { Button, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toRefusal } from '../../api/client.ts'
import { comment } from '../../api/incidents.ts'
import type { Incident } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { timelineText } from '../../texts/timeline.ts'
import classes from './Timeline.module.css'

/** As the api takes it. */
const MAX_COMMENT = 10_000

export function Composer({ incident }: { incident: Incident }) {
  const queries = useQueryClient()
  const [body, setBody] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => comment(incident.id, { body }),
    onSuccess: () => {
      setBody('')
      return queries.invalidateQueries({ queryKey: ['incidents', 'one', incident.id] })
    }
  })
  const submit = (event: { preventDefault: () => void }): void => {
    event.preventDefault()
    if (body.trim() !== '' && !isPending) mutate()
  }
  return (
    <form className={classes.composer} onSubmit={submit} noValidate>
      <Textarea
        aria-label={timelineText('comment.label')}
        placeholder={timelineText('comment.placeholder')}
        rows={1}
        classNames={{ input: classes.text }}
        maxLength={MAX_COMMENT}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
        }}
      />
      {error && <Refused refusal={toRefusal(error)} />}
      {body.trim() !== '' && (
        <div className={classes.sending}>
          <span>{timelineText('comment.markdown')}</span>
          <Button type="submit" variant="default" loading={isPending}>
            {timelineText('comment.label')}
          </Button>
        </div>
      )}
    </form>
  )
}
