/** The values in the form of a postmortem, from a stored one or from a template. Pure. */

import { type PostmortemPart, postmortemParts } from '../../../../schemas/http/postmortem-words.ts'
import type { Incident, Postmortem, PostmortemChange } from '../../api/shapes.ts'
import type { Faults } from '../../forms/faults.ts'
import { textOrNull } from '../../forms/text-or-null.ts'
import { postmortemPageText } from '../../texts/postmortem-page.ts'

export interface ItemValues {
  /** Names the item within one form: what is stored has no ids. */
  key: number
  title: string
  /** '': nobody. */
  owner_id: string
  /** '': no day. */
  due_on: string
  done: boolean
  link: string
}

export interface PostmortemValues extends Record<PostmortemPart, string> {
  action_items: ItemValues[]
  timeline_refs: string[]
}

export const noItem: ItemValues = { key: 0, title: '', owner_id: '', due_on: '', done: false, link: '' }

const lines = (...all: string[]): string => all.join('\n')

type Question = 'affected' | 'broken' | 'failed' | 'why' | 'noticed' | 'sooner' | 'helped' | 'no_help' | 'well' | 'badly' | 'luck'
const asked = (...questions: Question[]): string => lines(...questions.map((one) => `- ${postmortemPageText(`template.${one}`)}`))

/** Returns the template that a writer starts with: the known facts, and questions to answer. */
export function templateOf(
  { started_at, resolved_at, title, affected_regions }: Incident,
  timeOf: (at: string) => string
): PostmortemValues {
  const until = resolved_at === null ? postmortemPageText('template.now') : timeOf(resolved_at)
  const regions = affected_regions.join(', ')
  return {
    impact: lines(
      postmortemPageText('template.impact', { title, from: timeOf(started_at), until }),
      ...(regions === '' ? [] : [postmortemPageText('template.regions', { regions })]),
      '',
      asked('affected', 'broken')
    ),
    root_cause: asked('failed', 'why'),
    detection: asked('noticed', 'sooner'),
    resolution: asked('helped', 'no_help'),
    lessons: asked('well', 'badly', 'luck'),
    action_items: [],
    timeline_refs: []
  }
}

export const valuesOf = ({
  impact,
  root_cause,
  detection,
  resolution,
  lessons,
  action_items,
  timeline_refs
}: Postmortem): PostmortemValues => ({
  impact,
  root_cause,
  detection,
  resolution,
  lessons,
  action_items: action_items.map(({ title, owner_id, due_on, done, link }, key) => {
    return { key, title, owner_id: owner_id ?? '', due_on: due_on ?? '', done, link: link ?? '' }
  }),
  timeline_refs
})

/** An action item counts only when at least one of its fields is filled in. */
const isItem = ({ title, owner_id, due_on, link }: ItemValues): boolean =>
  [title.trim(), owner_id, due_on, link.trim()].some((one) => one !== '')

export const bodyOf = (values: PostmortemValues, status: Postmortem['status']): PostmortemChange => ({
  status,
  ...(Object.fromEntries(postmortemParts.map((part) => [part, values[part]])) as Record<PostmortemPart, string>),
  action_items: values.action_items.filter(isItem).map(({ title, owner_id, due_on, done, link }) => ({
    title: title.trim(),
    owner_id: owner_id || null,
    due_on: due_on || null,
    done,
    link: textOrNull(link)
  })),
  timeline_refs: values.timeline_refs
})

/** Whether a fault is within an action item. A draft is saved without what is wrong there. */
export const isOfItem = (path: string): boolean => path.startsWith('action_items[')

/**
 * Returns the values without what is wrong in their action items: an item that is not finished must
 * not keep the text from being saved. An item that was stored `before` stays as it was; a wrong
 * ticket alone is left as it was, and a new item with any other fault is left out.
 */
export const withoutFaults = (values: PostmortemValues, faults: Faults, before: PostmortemValues | null): PostmortemValues => ({
  ...values,
  action_items: values.action_items.filter(isItem).flatMap((item, at) => {
    const wrong = Object.keys(faults).filter((path) => path.startsWith(`action_items[${at}]`))
    if (wrong.length === 0) return item
    const former = before?.action_items.find(({ key }) => key === item.key)
    if (wrong.every((path) => path === `action_items[${at}].link`)) return { ...item, link: former?.link ?? '' }
    return former ?? []
  })
})
