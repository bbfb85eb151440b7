/**
 * Imports many monitors from a table or from JSON. It first shows what would be done and every
 * fault by row and field; then the import runs as a whole.
 */
import { Button, FileButton, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { csvColumns, MAX_IMPORT } from '../../../../schemas/http/many-monitors.ts'
import { Refusal, toRefusal } from '../../api/client.ts'
import { importMonitors } from '../../api/monitors.ts'
import { useMay } from '../../api/session.ts'
import type { Imported } from '../../api/shapes.ts'
import { Buttons, Group } from '../../forms/Form.tsx'
import { Refused } from '../../forms/Refused.tsx'
import { PageHead, Section } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { importText } from '../../texts/import.ts'
import { countedMonitors } from './counted-monitors.ts'
import classes from './ImportMonitors.module.css'
import { importBody } from './import-body.ts'

const EXAMPLE = 'name,type,target,interval_seconds,tags,group\nOur site,http,https://example.com/,60,web;public,Shop'

export function ImportMonitors() {
  const mayWrite = useMay('write')
  return (
    <>
      <PageHead
        title={importText('import.title')}
        back={{ to: '/monitors', label: importText('import.back') }}
        answer={importText('import.answer')}
      />
      {mayWrite ? (
        <>
          <PlanLimit of="monitors" />
          <Import />
        </>
      ) : (
        <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: importText('import.forbidden') })} />
      )}
    </>
  )
}

function Import() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  /**
   * The result of the dry run of the current text. Null when there was none, or the text changed
   * since.
   */
  const [looked, setLooked] = useState<Imported | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const change = (next: string): void => {
    setText(next)
    setFault(undefined)
    setLooked(null)
    setRefusal(null)
  }
  const { mutate, isPending, variables } = useMutation({
    mutationFn: importMonitors,
    onMutate: () => setRefusal(null),
    onSuccess: (answer) => {
      if (answer.dry_run) return setLooked(answer)
      tellDone(importText('import.done', { monitors: countedMonitors(answer.create + answer.update) }))
      void queries.invalidateQueries({ queryKey: ['monitors'] })
      void navigate({ to: '/monitors' })
    },
    onError: (error) => setRefusal(toRefusal(error))
  })
  function send(dry_run: boolean): void {
    const body = text.trim() === '' ? undefined : importBody(text, dry_run)
    if (body) mutate(body)
    else setFault(importText(body === null ? 'import.no_json' : 'import.empty'))
  }
  const wanted = looked && looked.errors.length === 0 ? looked.create + looked.update : 0
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send(true)
      }}
    >
      <Group title={importText('import.what')} hint={importText('import.hint')}>
        <div>
          <FileButton
            accept=".csv,.tsv,.json,text/csv,application/json"
            onChange={(file) => void file?.text().then(change, () => setFault(importText('import.no_json')))}
          >
            {(props) => (
              <Button variant="default" leftSection={<FileUp size={15} aria-hidden />} {...props}>
                {importText('import.file')}
              </Button>
            )}
          </FileButton>
        </div>
        <Textarea
          label={importText('import.text')}
          description={importText('import.text_hint', { count: MAX_IMPORT })}
          placeholder={EXAMPLE}
          classNames={{ input: classes.text ?? '' }}
          rows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          error={fault}
        />
        <details className={classes.fields}>
          <summary>{importText('import.fields')}</summary>
          <p>{csvColumns.join(', ')}</p>
        </details>
      </Group>
      {looked && <Looked answer={looked} />}
      <Refused refusal={refusal} />
      <Buttons>
        {wanted > 0 ? (
          <Button loading={isPending} onClick={() => send(false)}>
            {importText('import.do', { monitors: countedMonitors(wanted) })}
          </Button>
        ) : (
          <Button type="submit" loading={isPending && variables?.dry_run === true}>
            {importText('import.look')}
          </Button>
        )}
        <Button variant="default" onClick={() => void navigate({ to: '/monitors' })}>
          {importText('import.cancel')}
        </Button>
      </Buttons>
    </form>
  )
}

function Looked({ answer: { create, update, skip, items, groups, errors } }: { answer: Imported }) {
  const counts = [
    importText('import.create', { count: create }),
    importText('import.update', { count: update }),
    importText('import.skip', { count: skip })
  ].join(', ')
  return (
    <Section title={importText('import.would')} aside={<span role="status">{counts}</span>}>
      {errors.length > 0 && (
        <p className={classes.faulty} role="alert">
          {errors.length === 1 ? importText('import.fault') : importText('import.faults', { count: errors.length })}
        </p>
      )}
      {errors.length === 0 && create + update === 0 && <p>{importText('import.nothing')}</p>}
      {groups.length > 0 && (
        <p>
          {importText('import.groups')} {groups.join(', ')}
        </p>
      )}
      <div className={classes.scroll}>
        {errors.length > 0 ? (
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{importText('import.row')}</th>
                <th scope="col">{importText('import.name')}</th>
                <th scope="col">{importText('import.field')}</th>
                <th scope="col">{importText('import.message')}</th>
              </tr>
            </thead>
            <tbody>
              {errors.map(({ row, name, field, message }, nth) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list is never reordered
                <tr key={nth}>
                  <td>{row}</td>
                  <td>{name ?? '–'}</td>
                  <td>{field === '' ? importText('import.whole') : <code>{field}</code>}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{importText('import.row')}</th>
                <th scope="col">{importText('import.name')}</th>
                <th scope="col">{importText('import.action')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ row, name, action }) => (
                <tr key={row}>
                  <td>{row}</td>
                  <td>{name}</td>
                  <td>{importText(`action.${action}`)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Section>
  )
}
