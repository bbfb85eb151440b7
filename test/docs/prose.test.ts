/**
 * Checks of the documents that a program can do: the README stays short, pictures are small, and
 * each decision has its four parts, its number and its line in the index.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { MAX_PICTURE_BYTES, shownInDocs } from '../services/web/doc-pictures.ts'

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
const MAX_README_WORDS = 1000
const parts = ['Context', 'Decision', 'Rejected', 'Consequences']

/** The faults of a decision; empty when there are none. */
function decisionFaults(name: string, text: string, index: string): string[] {
  const number = name.slice(0, 4)
  const title = new RegExp(`^# ${number}\\. (.+)\\n\\n\\d{4}-\\d{2}-\\d{2}, (?:accepted|replaced by)`).exec(text)?.[1]
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  return [
    ...(title ? [] : [`${name}: expected its number, a title, a date and a state`]),
    ...(headings.join() === parts.join() ? [] : [`${name}: expected the parts ${parts.join(', ')}`]),
    ...(text.split(/^## .+$/m).every((part) => part.trim().length > 8) ? [] : [`${name}: has an empty part`]),
    ...(index.includes(`- [${number}](./${name}) ${title}\n`) ? [] : [`${name}: is not in the index`])
  ]
}

t.test('the README keeps within its word limit', async (t) => {
  const words = read('README.md').split(/\s+/).filter(Boolean).length
  t.ok(words > 200 && words <= MAX_README_WORDS, `${words} words`)
})

t.test('pictures of the dashboard are small, and each is shown once', async (t) => {
  const files = readdirSync(join(projectRoot, 'docs/images'))
  t.same(files.sort(), shownInDocs.map((name) => `${name}.webp`).sort(), 'else run npm run doc-pictures')
  const guides = readdirSync(join(projectRoot, 'docs/guides')).filter((name) => name.endsWith('.md'))
  const texts = ['README.md', ...guides.map((name) => `docs/guides/${name}`)].map(read)
  for (const file of files) {
    const { size } = statSync(join(projectRoot, 'docs/images', file))
    t.ok(size <= MAX_PICTURE_BYTES, `${file}: ${size} bytes`)
    t.equal(texts.filter((text) => text.includes(`images/${file})`)).length, 1, `${file} is shown`)
  }
})

t.test('decisions are complete and numbered without gaps', async (t) => {
  const index = read('docs/decisions/README.md')
  const names = readdirSync(join(projectRoot, 'docs/decisions'))
    .filter((name) => name !== 'README.md')
    .sort()
  t.ok(names.length >= 28)
  t.same(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, at) => at + 1)
  )
  for (const name of names) t.same(decisionFaults(name, read(`docs/decisions/${name}`), index), [], name)
  const [first = ''] = names
  const text = read(`docs/decisions/${first}`)
  t.match(decisionFaults(first, text.replace('## Rejected', '## Rest'), index), [/expected the parts/])
  t.match(decisionFaults(first, text.replace('accepted', 'perhaps'), index), [/expected its number/, /is not in the index/])
  t.match(decisionFaults(first, text, ''), [/is not in the index/])
})
