/** What the form of a postmortem holds: from what is stored, or from a template. Pure. */

import { type PostmortemPart, postmortemParts } from '../../../../schemas/http/postmortem-words.ts'
import type { Incident, Postmortem, PostmortemChange } from '../../api/shapes.ts'
import { textOrNull } from '../../forms/text-or-null.ts'

export interface ItemValues {
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

export const noItem: ItemValues = { title: '', owner_id: '', due_on: '', done: false, link: '' }

const lines = (...all: string[]): string => all.join('\n')

/** Where a person begins: the facts that are known, and the questions that are asked. */
export function templateOf(
  { started_at, resolved_at, title, affected_regions }: Incident,
  timeOf: (at: string) => string
): PostmortemValues {
  const until = resolved_at === null ? 'now' : timeOf(resolved_at)
  return {
    impact: lines(
      `**${title}**, from ${timeOf(started_at)} until ${until}.`,
      ...(affected_regions.length > 0 ? [`Regions: ${affected_regions.join(', ')}.`] : []),
      '',
      '- Who was affected:',
      '- What did not work:'
    ),
    root_cause: lines('- What failed:', '- Why it could fail:'),
    detection: lines('- How it was noticed:', '- What would have shown it sooner:'),
    resolution: lines('- What helped:', '- What did not:'),
    lessons: lines('- What went well:', '- What went badly:', '- Where there was luck:'),
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
  action_items: action_items.map(({ title, owner_id, due_on, done, link }) => {
    return { title, owner_id: owner_id ?? '', due_on: due_on ?? '', done, link: link ?? '' }
  }),
  timeline_refs
})

/** An item without a word is none. */
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
