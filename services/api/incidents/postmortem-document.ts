/**
 * Writes a postmortem as one Markdown document. Pure. The text that people wrote is not changed.
 * Source: docs/design/api/incidents.md#in-17.
 */
import { type PostmortemPart, postmortemParts } from '../../../schemas/http/postmortem-words.ts'
import type { Postmortem } from '../../../schemas/http/postmortems.ts'

const headings: Record<PostmortemPart, string> = {
  impact: 'Impact',
  root_cause: 'Root cause',
  detection: 'Detection',
  resolution: 'Resolution',
  lessons: 'Lessons'
}

interface About {
  key: string
  title: string
  severity: string
  started_at: string
  resolved_at: string | null
}

/** Returns a line of text in which nothing is markup. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&')

export function documentOf(postmortem: Postmortem, { key, title, severity, started_at, resolved_at }: About): string {
  const facts = [
    `- Severity: ${severity}`,
    `- Started: ${started_at}`,
    `- Resolved: ${resolved_at ?? 'not yet'}`,
    `- Postmortem: ${postmortem.status}`
  ]
  const parts = postmortemParts
    .filter((part) => postmortem[part].trim() !== '')
    .map((part) => `## ${headings[part]}\n\n${postmortem[part].trim()}`)
  const items = postmortem.action_items.map(({ title: what, owner_name, due_on, done, link }) => {
    const more = [owner_name === null ? '' : plain(owner_name), due_on === null ? '' : `due ${due_on}`, link === null ? '' : `<${link}>`]
    const told = more.filter((one) => one !== '').join(', ')
    return `- [${done ? 'x' : ' '}] ${plain(what)}${told === '' ? '' : ` (${told})`}`
  })
  const actions = items.length === 0 ? [] : [`## Action items\n\n${items.join('\n')}`]
  return `${[`# ${key}: ${plain(title)}`, facts.join('\n'), ...parts, ...actions].join('\n\n')}\n`
}
