/**
 * The picture of the flow in docs/architecture.md, which `npm run generate` writes from the
 * topology (services/operator/generate.ts).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../schemas/files.ts'
import { topics } from '../schemas/topics.ts'
import { flow } from './picture.ts'
import { processors } from './topology.ts'

const DOCUMENT = 'docs/architecture.md'
const BEGIN = '<!-- Written by `npm run generate` from streams/topology.ts and schemas/topics.ts. -->'
const END = '<!-- End of what is written. -->'

/** `document` with `text` between its two markers. Throws where a marker is missing. */
export function between(document: string, text: string): string {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END, from)
  if (from < 0 || to < 0) throw new Error(`${DOCUMENT}: expected the lines "${BEGIN}" and "${END}"`)
  return `${document.slice(0, from + BEGIN.length)}\n\n${text}\n\n${document.slice(to)}`
}

/** Path → text of the documents that follow from the topology. */
export function documents(root: string = projectRoot): ReadonlyMap<string, string> {
  return new Map([[DOCUMENT, between(readFileSync(join(root, DOCUMENT), 'utf8'), flow(processors, topics))]])
}
