/**
 * The form to write a postmortem. A draft is saved automatically during writing and on leaving,
 * always against the version that the writer last saw. If somebody else has saved in the meantime,
 * nothing is overwritten and the writer chooses. A published postmortem changes only by the button.
 */
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { postmortemParts } from '../../../../schemas/http/postmortem-words.ts'
import { type Refusal, toRefusal } from '../../api/client.ts'
import { postmortemQuery, readPostmortem } from '../../api/postmortems.ts'
import type { Incident, Postmortem } from '../../api/shapes.ts'
import { membersQuery } from '../../api/workspace.ts'
import { faultsByPath } from '../../forms/faults.ts'
import { Select } from '../../forms/late-fields.tsx'
import { Refused } from '../../forms/Refused.tsx'
import { useJudge } from '../../forms/useJudge.ts'
import { tellRefused } from '../../parts/tell.ts'
import { postmortemPageText } from '../../texts/postmortem-page.ts'
import classes from './Postmortem.module.css'
import { bodyOf, type ItemValues, isOfItem, noItem, type PostmortemValues } from './postmortem-values.ts'
import { useLeaving } from './useLeaving.ts'
import { useWriting } from './useWriting.ts'

const SAVE_AFTER_MS = 2_000

export interface PostmortemFormProps {
  incident: Incident
  /** 0: there is none yet. */
  version: number
  status: Postmortem['status']
  initial: PostmortemValues
  /** Called when something is typed: from then on the form must stay, whoever saves meanwhile. */
  begun: () => void
  done: () => Promise<void>
}

function useSavingSoon(values: PostmortemValues, isDue: boolean, saveDraft: () => Promise<void>): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: every word begins the wait anew
  useEffect(() => {
    if (!isDue) return
    const timer = setTimeout(() => void saveDraft(), SAVE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [values, isDue])
}

/** Holds the text and how much of it is saved. */
function usePostmortem({ incident, version, status, initial, begun, done }: PostmortemFormProps) {
  // `initial` is made anew with each render of the page.
  const [first] = useState(initial)
  const [values, setValues] = useState(first)
  const [saved, setSaved] = useState(version === 0 ? null : first)
  const [sending, setSending] = useState(false)
  const [clash, setClash] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [asked, setAsked] = useState(false)
  const [submitting, setSubmitting] = useState(false)
  const writing = useWriting(incident.id, version, first)
  const queries = useQueryClient()
  const isTouched = values !== first
  const { judge, want } = useJudge<null>(async () => (await import('../../../../schemas/http/postmortems.ts')).PostmortemBody)
  const faults = judge?.(null, bodyOf(values, status)) ?? {}
  const isWhole = Object.keys(faults).length === 0
  const canSave = Object.keys(faults).every(isOfItem)

  const write = (as: Postmortem['status'], keepalive = false): Promise<Postmortem> => writing.write(values, faults, as, keepalive)

  async function save(as: Postmortem['status'], leaves = false): Promise<boolean> {
    setSending(true)
    setRefusal(null)
    try {
      const now = await write(as)
      // The page knows what is stored, also if it cannot be read again.
      if (leaves) queries.setQueryData(postmortemQuery(incident.id).queryKey, now)
      setSaved(values)
      setClash(false)
      return true
    } catch (error) {
      const refused = toRefusal(error)
      if (refused.code === 'VERSION_MISMATCH' || refused.code === 'CONFLICT') setClash(true)
      else setRefusal(refused)
      return false
    } finally {
      setSending(false)
    }
  }

  async function saveDraft(): Promise<void> {
    // Otherwise nobody would see what the draft is saved without.
    if (!isWhole) setAsked(true)
    await save('draft')
  }

  const isUnsaved = isTouched && values !== saved && status === 'draft' && canSave && !clash
  const isDue = isUnsaved && !sending && !submitting && refusal === null
  useSavingSoon(values, isDue, saveDraft)

  async function saveOnLeaving(closes: boolean): Promise<void> {
    if (!isUnsaved || !(await writing.needsDraft(values))) return
    try {
      queries.setQueryData(postmortemQuery(incident.id).queryKey, await write('draft', closes))
    } catch (error) {
      tellRefused(postmortemPageText('save.failed'), error, () => void saveOnLeaving(false))
    }
  }
  useLeaving((closes) => void saveOnLeaving(closes))

  return {
    values,
    set: (change: Partial<PostmortemValues>) => {
      // The form is about to leave: this would be lost.
      if (submitting) return
      void want()
      begun()
      setRefusal(null)
      setValues((before) => ({ ...before, ...change }))
    },
    fault: (path: string): string | undefined =>
      faultsByPath(refusal?.details ?? [])[path] ?? (asked || !isOfItem(path) ? faults[path] : undefined),
    submit: async (as: Postmortem['status']) => {
      setAsked(true)
      setSubmitting(true)
      try {
        const found = (judge ?? (await want()))?.(null, bodyOf(values, status)) ?? {}
        if (Object.keys(found).length === 0 && (await save(as, true))) await done()
      } finally {
        setSubmitting(false)
      }
    },
    /** The next save overwrites the other person's version. The writer has chosen this. */
    keepMine: async () => {
      try {
        writing.seen.current = (await readPostmortem(incident.id)).version
        setClash(false)
      } catch (error) {
        setRefusal(toRefusal(error))
      }
    },
    state: sending ? 'saving' : !isTouched ? null : values !== saved ? 'unsaved' : isWhole ? 'saved' : 'in_part',
    sending,
    submitting,
    clash,
    refusal
  } as const
}

export function PostmortemForm(props: PostmortemFormProps) {
  const form = usePostmortem(props)
  const { values, set, fault, state } = form
  const items = values.action_items
  const nextKey = useRef(items.length)
  const add = (): void => set({ action_items: [...items, { ...noItem, key: nextKey.current++ }] })
  const setItem = (at: number, change: Partial<ItemValues>) =>
    set({ action_items: items.map((item, other) => (other === at ? { ...item, ...change } : item)) })
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit('published')
      }}
    >
      {form.clash && (
        <div role="alert">
          <p>{postmortemPageText('save.clash')}</p>
          <div className={classes.buttons}>
            <Button variant="default" onClick={() => void props.done()}>
              {postmortemPageText('save.clash_read')}
            </Button>
            <Button variant="default" onClick={() => void form.keepMine()}>
              {postmortemPageText('save.clash_keep')}
            </Button>
          </div>
        </div>
      )}
      {postmortemParts.map((part) => (
        <Textarea
          key={part}
          label={postmortemPageText(`part.${part}`)}
          description={postmortemPageText(`part.${part}_hint`)}
          autosize
          minRows={3}
          maxRows={24}
          value={values[part]}
          readOnly={form.submitting}
          onChange={(event) => set({ [part]: event.currentTarget.value })}
          error={fault(part)}
        />
      ))}
      <section aria-label={postmortemPageText('actions.title')}>
        <h2>{postmortemPageText('actions.title')}</h2>
        {items.map((item, at) => (
          <Item
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no ids; each field is controlled
            key={at}
            n={at + 1}
            item={item}
            readOnly={form.submitting}
            fault={(field) => fault(`action_items[${at}].${field}`)}
            set={(change) => setItem(at, change)}
            remove={() => set({ action_items: items.filter((_, other) => other !== at) })}
          />
        ))}
        <Button variant="default" onClick={add} disabled={items.length >= 50}>
          {postmortemPageText('actions.add')}
        </Button>
      </section>
      <Refused refusal={form.refusal} />
      <div className={classes.buttons}>
        <Button type="submit" loading={form.sending || form.submitting}>
          {postmortemPageText('save.publish')}
        </Button>
        <Button variant="default" onClick={() => void form.submit('draft')} disabled={form.sending || form.submitting}>
          {postmortemPageText('save.draft')}
        </Button>
        <span role="status" className={classes.quiet}>
          {state !== null && postmortemPageText(`save.${state}`)}
        </span>
      </div>
    </form>
  )
}

interface ItemProps {
  n: number
  item: ItemValues
  readOnly: boolean
  fault: (field: string) => string | undefined
  set: (change: Partial<ItemValues>) => void
  remove: () => void
}

function Item({ n, item, readOnly, fault, set, remove }: ItemProps) {
  const { data: members } = useQuery(membersQuery)
  const people = (members?.items ?? []).map(({ user_id, name }) => ({ value: user_id, label: name }))
  return (
    <fieldset className={classes.item}>
      <legend>{postmortemPageText('actions.item', { n })}</legend>
      <TextInput
        label={postmortemPageText('actions.what')}
        value={item.title}
        readOnly={readOnly}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={fault('title')}
      />
      <Select
        label={postmortemPageText('actions.owner')}
        data={[{ value: '', label: postmortemPageText('actions.nobody') }, ...people]}
        value={item.owner_id}
        onChange={(owner_id) => set({ owner_id: owner_id ?? '' })}
        error={fault('owner_id')}
        allowDeselect={false}
      />
      <TextInput
        type="date"
        label={postmortemPageText('actions.due')}
        value={item.due_on}
        readOnly={readOnly}
        onChange={(event) => set({ due_on: event.currentTarget.value })}
        error={fault('due_on')}
      />
      <div className={classes.last}>
        <TextInput
          label={postmortemPageText('actions.link')}
          placeholder="https://"
          value={item.link}
          readOnly={readOnly}
          onChange={(event) => set({ link: event.currentTarget.value })}
          error={fault('link')}
        />
        <Checkbox
          label={postmortemPageText('actions.done')}
          checked={item.done}
          onChange={(event) => set({ done: event.currentTarget.checked })}
        />
        <Button variant="default" onClick={remove} aria-label={postmortemPageText('actions.remove', { n })}>
          ✕
        </Button>
      </div>
    </fieldset>
  )
}
