/**
 * The limits of texts are defined once in code. The contracts repeat them for readers and must
 * match.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import * as limits from '../../schemas/limits.ts'

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')
const written = (limit: number): string => limit.toLocaleString('en-US')

t.test('the alert record states the limits of the code', async (t) => {
  const record = read('schemas/events/InboundAlert.avsc')
  for (const [field, limit, of] of [
    ['source_dedup_key', limits.MAX_ALERT_KEY, 'characters'],
    ['title', limits.MAX_ALERT_TITLE, 'characters'],
    ['description', limits.MAX_ALERT_DESCRIPTION, 'characters'],
    ['labels', limits.MAX_ALERT_LABELS, 'labels'],
    ['links', limits.MAX_ALERT_LINKS, 'links']
  ] as const) {
    const [, told = ''] = record.split(`"name": "${field}"`)
    t.match(told.split('\n    { "name":')[0], new RegExp(`at most ${written(limit)} ${of}`, 'i'), field)
  }
})

t.test('the design of sources states the limits of the code', async (t) => {
  const design = read('docs/design/inbound-sources.md')
  const { MAX_ALERT_TITLE, MAX_ALERT_DESCRIPTION, MAX_ALERT_LABELS, MAX_ALERT_LABEL_NAME, MAX_ALERT_LABEL_VALUE, MAX_ALERT_LINKS } = limits
  for (const sentence of [
    `| \`title\` | at most ${written(MAX_ALERT_TITLE)} characters`,
    `| \`description\` | at most ${written(MAX_ALERT_DESCRIPTION)} characters`,
    `| \`labels\` | at most ${MAX_ALERT_LABELS}; names to ${MAX_ALERT_LABEL_NAME} characters, values to ${MAX_ALERT_LABEL_VALUE} |`,
    `| \`links\` | at most ${MAX_ALERT_LINKS}, `
  ])
    t.ok(design.includes(sentence), sentence)
})
