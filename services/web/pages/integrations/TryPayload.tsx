/**
 * A dry run: a pasted body is processed like a real payload, but has no effect.
 *
 * Source: docs/design/api/alerts-and-routing.md#ib-8.
 */
import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { client, Refusal, take } from '../../api/client.ts'
import { deliveryQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration, Source } from '../../api/shapes.ts'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { inboundText } from '../../texts/inbound.ts'
import { ParseResult } from './ParseResult.tsx'
import classes from './TryPayload.module.css'

/** Parses headers, one `Name: value` on each line. */
function headersOf(text: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers[line.slice(0, at).trim()] = line.slice(at + 1).trim()
  }
  return headers
}

export function TryPayload({ integration: { id }, source }: { integration: Integration; source: Source }) {
  const mayWrite = useMay('write')
  const mayAdminister = useMay('administer')
  const { delivery } = useSearch({ from: '/inside/integrations/$id' })
  const isKept = delivery !== undefined && mayAdminister
  const kept = useQuery({ ...deliveryQuery(id, delivery ?? ''), enabled: isKept })
  if (!mayWrite)
    return <Problem error={new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })} />
  if (isKept && !kept.data) return <Awaiting of={kept} rows={4} />
  return <Dry key={delivery} id={id} source={source} payload={kept.data?.payload ?? ''} />
}

function Dry({ id, source, payload }: { id: string; source: Source; payload: string }) {
  const [body, setBody] = useState(payload)
  const [headers, setHeaders] = useState('')
  const parse = useMutation({
    mutationFn: () =>
      take(
        client.POST('/api/v1/integrations/inbound/{id}/parse', { params: { path: { id } }, body: { body, headers: headersOf(headers) } })
      )
  })
  return (
    <div className={classes.dry}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          parse.mutate()
        }}
      >
        <Textarea
          label={inboundText('try.body')}
          description={inboundText('try.body_hint')}
          classNames={{ input: classes.code }}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          value={body}
          onChange={(event) => setBody(event.currentTarget.value)}
        />
        <Textarea
          label={inboundText('try.headers')}
          description={inboundText('try.headers_hint')}
          classNames={{ input: classes.code }}
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          value={headers}
          onChange={(event) => setHeaders(event.currentTarget.value)}
        />
        <div className={classes.buttons}>
          <Button type="submit" loading={parse.isPending} disabled={body.trim() === ''}>
            {inboundText('try.verb')}
          </Button>
          <Button variant="default" onClick={() => setBody(JSON.stringify(source.sample, null, 2))}>
            {inboundText('try.sample')}
          </Button>
        </div>
      </form>
      <div aria-live="polite">
        <ParseResult answer={parse.data} error={parse.error} />
      </div>
    </div>
  )
}
