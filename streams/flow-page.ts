/**
 * The diagram of the data flow in docs/architecture.md, made from the topology. `npm run generate`
 * writes it into the document (services/operator/generate.ts).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../schemas/files.ts'
import { type Marks, withMarked } from '../schemas/generate/marked.ts'
import { topics } from '../schemas/topics.ts'
import { flow } from './picture.ts'
import { processors } from './topology.ts'

const DOCUMENT = 'docs/architecture.md'
const MARKS: Marks = {
  begin: '<!-- Written by `npm run generate` from streams/topology.ts and schemas/topics.ts. -->',
  end: '<!-- End of what is written. -->'
}

/**
 * Returns the document with `picture` at its marked place. Throws when the document has no such
 * place.
 */
export const withPicture = (document: string, picture: string): string => withMarked(DOCUMENT, document, MARKS, picture)

/** Returns path → text of the documents that are generated from the topology. */
export function documents(root: string = projectRoot): ReadonlyMap<string, string> {
  return new Map([[DOCUMENT, withPicture(readFileSync(join(root, DOCUMENT), 'utf8'), flow(processors, topics))]])
}
