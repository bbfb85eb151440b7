/**
 * The catalogue of the dashboard's texts: places are filled, keys read alike, and none is left
 * over.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { catalogue, filled, text } from '../../../services/web/texts/catalogue.ts'

t.test('places are filled by name', async (t) => {
  t.equal(filled('{count} open, {count} in all; {name}', { count: 3, name: 'Ada {count}' }), '3 open, 3 in all; Ada {count}')
  t.equal(filled('{count} open', {}), '{count} open')
  t.equal(text('incidents', 'resolve.note'), 'Note')
})

t.test('every key is used, and says what it is about', async (t) => {
  const web = join(projectRoot, 'services/web')
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts/'))
    .map((file) => readFileSync(join(web, file), 'utf8'))
    .join('\n')
  // Asked for by name, by a name chosen among several, or by a family of names, as `event.${one}`.
  const families = [...sources.matchAll(/'(\w+)', `([a-z_.]+\.)\$\{/g)].map(([, area = '', stem = '']) => `${area} ${stem}`)
  const isUsed = (area: string, key: string): boolean =>
    sources.includes(`'${area}', '${key}'`) ||
    families.some((family) => `${area} ${key}`.startsWith(family)) ||
    (sources.includes(`'${area}', `) && sources.includes(`'${key}'`))
  for (const [area, texts] of Object.entries(catalogue)) {
    for (const [key, value] of Object.entries(texts)) {
      t.match(key, /^[a-z_]+(?:\.[a-z_]+)+$/)
      t.ok(isUsed(area, key), `${area} ${key} is used`)
      t.not(value.trim(), '', `${area} ${key} has a text`)
    }
  }
})
