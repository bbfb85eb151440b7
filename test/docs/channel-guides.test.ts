/**
 * Guides of the channel kinds: each supported kind has one, with the same sections, about that
 * kind. What they say about fields must match the form.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { channels } from '../../services/channels/kinds/index.ts'
import { builtKinds } from '../services/channels/contract.ts'

const FOLDER = join(projectRoot, 'docs/guides/channels')
/** Slack is the longest: it covers both rooms and direct messages. */
const MAX_LINES = 75

/** Returns the faults of a guide, in words. */
function faultsOf(kind: string, name: string, text: string): string[] {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  const [title = ''] = text.split('\n', 1)
  const called = name.replace(/ \(.*\)$/, '')
  const parts = [/^(?:At|In) /, /^Here$/, /^What arrives$/]
  const inOrder = parts.map((part) => headings.findIndex((heading) => part.test(heading)))
  return [
    ...(title === `# ${called}` ? [] : [`${kind}: begins with "${title}", and is about ${called}`]),
    ...(inOrder.every((at, nth) => at >= 0 && at >= (inOrder[nth - 1] ?? 0))
      ? []
      : [`${kind}: wants the parts "At …", "Here" and "What arrives"`]),
    ...(text.includes(`**${called}**`) || text.includes(`> ${called}`) ? [] : [`${kind}: does not say where ${called} is found here`]),
    ...(/Send test/.test(text) ? [] : [`${kind}: does not say that Send test shows whether it works`]),
    ...(text.split('\n').length <= MAX_LINES ? [] : [`${kind}: is longer than ${MAX_LINES} lines`])
  ]
}

t.test('every supported channel kind has a complete guide, and every guide has a kind', async (t) => {
  const guides = readdirSync(FOLDER).map((file) => file.replace(/\.md$/, ''))
  t.same(guides.sort(), [...builtKinds].sort())
  const faults = builtKinds.flatMap((kind) => faultsOf(kind, channels[kind]?.name ?? '', readFileSync(join(FOLDER, `${kind}.md`), 'utf8')))
  t.same(faults, [])
})

t.test('the check finds what is missing in a channel guide', async (t) => {
  const whole = '# Slack\n\n## At Slack\n\n## Here\n\n**Slack**, then **Send test**\n\n## What arrives\n'
  t.same(faultsOf('slack', 'Slack', whole), [], 'a control')
  t.match(faultsOf('slack', 'Slack', whole.replace('# Slack', '# Discord')), [/is about Slack/])
  t.match(faultsOf('slack', 'Slack', whole.replace('## Here', '## There')), [/wants the parts/])
  t.match(faultsOf('slack', 'Slack', whole.replace('**Slack**', 'it')), [/where Slack is found/])
  t.match(faultsOf('slack', 'Slack', whole.replace('Send test', 'hope')), [/Send test/])
})
