/** Tests that every page of the dashboard stays within the size limit of a first load. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { askedByDocument, bytesOf, filesOf, MAX_FIRST_LOAD_BYTES, type Manifest, type Modules } from './weight.ts'

const BUILT = join(projectRoot, 'dist/web')
const HEAVIEST = 12

/** Modules around certain pages, which load with them. */
const around: Readonly<Record<string, string>> = { setting: 'pages/settings/Settings.tsx', onCallPage: 'pages/on-call/OnCall.tsx' }

/** Returns each page of the router with the modules around it, as paths within services/web. */
function pagesOf(router: string): string[][] {
  return router.split('createRoute({').flatMap((route) => {
    const [, module] = /import\('\.\/([^']+)'\)/.exec(route) ?? []
    if (module === undefined) return []
    const frame = around[/^\s*\.\.\.(\w+)\(/.exec(route)?.[1] ?? '']
    return [frame ? [module, frame] : [module]]
  })
}

t.test('the files of a page include all that it imports, each once', async (t) => {
  const manifest: Manifest = {
    'index.html': { file: 'a.js', isEntry: true, imports: ['_x.js'], css: ['a.css'] },
    '_x.js': { file: 'x.js' },
    'pages/P.tsx': { file: 'p.js', imports: ['_x.js', '_y.js'], css: ['p.css'] },
    '_y.js': { file: 'y.js', imports: ['_x.js'] },
    'late.tsx': { file: 'late.js' }
  }
  const modules: Modules = { 'pages/P.tsx': 'p.js', 'pages/Shared.tsx': 'y.js' }
  t.same([...filesOf(manifest, modules, ['pages/P.tsx'])].sort(), ['a.css', 'a.js', 'p.css', 'p.js', 'x.js', 'y.js'])
  t.same([...filesOf(manifest, modules, ['pages/Shared.tsx'])].sort(), ['a.css', 'a.js', 'x.js', 'y.js'])
  t.throws(() => filesOf(manifest, modules, ['pages/Q.tsx']), /Q.tsx is not in the build/)
})

t.test(`the first load of each page is at most ${MAX_FIRST_LOAD_BYTES / 1000} KB with brotli and font`, async (t) => {
  const read = (name: string): string => readFileSync(join(BUILT, '.vite', name), 'utf8')
  const manifest: Manifest = JSON.parse(read('manifest.json'))
  const modules: Modules = JSON.parse(read('modules.json'))
  /** The file names of the build do not tell what is in them. */
  const within = (file: string): string => {
    const [first = file, ...others] = Object.keys(modules).filter((module) => modules[module] === file)
    return others.length === 0 ? first : `${first} and ${others.length} more`
  }
  const pages = pagesOf(readFileSync(join(projectRoot, 'services/web/router.tsx'), 'utf8'))
  t.ok(pages.length > 50 && pages.some(([, frame]) => frame !== undefined), 'the router was read')
  const asked = askedByDocument(BUILT)
  t.ok(asked.some((file) => file.endsWith('.woff2')) && asked.some((file) => file.endsWith('.js')), 'the document was read')
  for (const page of pages) {
    const files = [...new Set(['index.html', ...asked, ...filesOf(manifest, modules, page)])]
    const sizes = files.map((file) => ({ file, bytes: bytesOf(BUILT, file) })).sort((one, other) => other.bytes - one.bytes)
    const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
    const heaviest = sizes.slice(0, HEAVIEST).map(({ file, bytes }) => `${bytes} ${within(file)}`)
    t.ok(sum <= MAX_FIRST_LOAD_BYTES, `${page[0]}: ${sum} bytes; ${heaviest.join(', ')}`)
  }
})
