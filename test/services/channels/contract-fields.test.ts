/** Tests that each field of a channel's description is used by other code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'

const folder = join(projectRoot, 'services')
const contract = readFileSync(join(folder, 'channels/channel.ts'), 'utf8')

function fieldsOf(name: string): string[] {
  const [, body = ''] = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(contract) ?? []
  return [...body.matchAll(/^ {2}(\w+)\??[:(<]/gm)].map(([, field = '']) => field)
}

t.test('each field of a channel description is used outside the channel kinds', async (t) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith('channels/kinds/') && file !== 'channels/channel.ts' && file !== 'web/api/openapi.ts'
  )
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  const fields = [...fieldsOf('Channel'), ...fieldsOf('ChannelField')]
  t.ok(fields.includes('max_ambiguous') && fields.includes('host'), fields.join(', '))
  t.same(
    fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(text)),
    []
  )
})
