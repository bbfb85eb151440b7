/** Checks that the dashboard's styles use only the scales and colours of docs/design/ui.md#look. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'

const web = join(projectRoot, 'services/web')
const look = /<a id="look"><\/a>([\s\S]*?)<a id="map">/.exec(readFileSync(join(projectRoot, 'docs/design/ui.md'), 'utf8'))?.[1] ?? ''

const WALL = 'pages/wall/Wall.module.css'

/** Returns what a table below that heading lists. */
const listed = (heading: string): string[] =>
  [...((look.split(`**${heading}.**`)[1] ?? '').split('**')[0]?.matchAll(/^\| ([\d.]+) \|/gm) ?? [])].map(([, size = '']) => size)

const sizes = listed('Type')
const weights = (/Weights: ([^.]*)\./.exec(look)?.[1] ?? '').match(/\d{3}/g) ?? []

/** Returns every value in the text that is on no list. */
function strays(css: string): string[] {
  const found: string[] = []
  for (const [, property = '', value = ''] of css.matchAll(/(font-size|font-weight): ([^;]+);/g)) {
    const allowed = property === 'font-size' ? sizes.map((size) => `${size}rem`) : weights
    if (value !== 'inherit' && !allowed.includes(value)) found.push(`${property}: ${value}`)
  }
  for (const [colour] of css.matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\([^)]*\)/gi)) found.push(colour)
  return found
}

t.test('style sheets use only the sizes, weights and colours of the design', async (t) => {
  t.ok(sizes.includes('0.875') && sizes.length === 8 && weights.length === 4, 'the design was read')
  t.same(strays('a { font-size: 0.9rem; font-weight: 550; color: #123456; background: rgb(1 2 3) }'), [
    'font-size: 0.9rem',
    'font-weight: 550',
    '#123456',
    'rgb(1 2 3)'
  ])
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.module.css'))
  t.ok(files.length > 50)
  for (const file of files) {
    const found = strays(readFileSync(join(web, file), 'utf8'))
    // The wall board is read from across a room, so its type grows with the screen.
    t.same(file === WALL ? found.filter((stray) => !stray.startsWith('font-size')) : found, [], file)
  }
})

const mantine = join(projectRoot, 'node_modules/@mantine/core/styles')
const sheets = [...readFileSync(join(web, 'mantine.css'), 'utf8').matchAll(/styles\/(\w[\w-]*)\.css/g)].map(([, name = '']) => name)

t.test('every Mantine component in use has its style sheet', async (t) => {
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const known = readdirSync(mantine)
  let used = 0
  for (const file of sources) {
    const text = readFileSync(join(web, file), 'utf8')
    const own = [...text.matchAll(/@mantine\/core\/styles\/(\w+)\.css/g)].map(([, name = '']) => name)
    const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(text) ?? []
    for (const name of names.split(',').map((one) => one.trim())) {
      if (!known.includes(`${name}.css`)) continue
      used++
      t.ok(sheets.includes(name) || own.includes(name), `${name} of ${file}`)
    }
    for (const name of own) t.ok(known.includes(`${name}.css`) && !sheets.includes(name), `${name} of ${file} is a sheet, once`)
  }
  t.ok(used > 100)
  for (const name of sheets) t.ok(known.includes(`${name}.css`), `${name} is a sheet of the library`)
})
