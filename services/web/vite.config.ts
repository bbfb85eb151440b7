/**
 * Builds the dashboard into dist/web: `vite build --config services/web/vite.config.ts`. The api
 * serves it (services/api/web.ts) and puts a fresh nonce for styles where the placeholder stands.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const api = process.env.SERVICE_PUBLIC_URL ?? 'http://127.0.0.1:8080'

/** From the project's root, as package-lock.json names it; null: the module is ours. */
const folderOf = (module: string): string | null =>
  /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(module.replaceAll('\\', '/'))?.[1] ?? null

/**
 * Notes the packages that the dashboard's files are made from: they are shipped as much as those
 * that the roles load (services/supply-chain/sbom.ts).
 */
function notePackages(): Plugin {
  const folders = new Set<string>()
  return {
    name: 'note-packages',
    apply: 'build',
    // Every module that is read, styles too. One that the bundler then leaves out is named all the
    // same.
    load: {
      handler(module) {
        const folder = folderOf(module)
        if (folder !== null) folders.add(folder)
        return null
      }
    },
    // Files that styles name are no modules.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        for (const original of file.type === 'asset' ? file.originalFileNames : []) {
          const folder = folderOf(original)
          if (folder !== null) folders.add(folder)
        }
    },
    closeBundle() {
      const dist = join(import.meta.dirname, '../../dist')
      mkdirSync(dist, { recursive: true })
      writeFileSync(join(dist, 'dashboard-packages.json'), `${JSON.stringify([...folders].sort(), null, 1)}\n`)
    }
  }
}

/**
 * Names every file that pages are loaded from, for shell/ahead.ts; texts of another language load
 * for those who read it.
 */
const listParts = (): Plugin => ({
  name: 'list-parts',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const names = Object.keys(bundle).filter((name) => /^assets\/(?!german-).*\.(?:js|css)$/.test(name))
      this.emitFile({ type: 'asset', fileName: 'parts.json', source: JSON.stringify(names.sort()) })
    }
  }
})

/**
 * Says in which file each module of ours is, by its path in this folder: the manifest names a file
 * that several pages share by none of them. For the test of weights; the api serves neither.
 */
const noteModules = (): Plugin => ({
  name: 'note-modules',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk'
        ? file.moduleIds.filter((module) => module.startsWith(`${import.meta.dirname}/`)).map((module) => [module, file.fileName])
        : []
    )
    const named = files.map(([module = '', file]) => [module.slice(import.meta.dirname.length + 1), file])
    this.emitFile({ type: 'asset', fileName: '.vite/modules.json', source: JSON.stringify(Object.fromEntries(named)) })
  }
})

/** A smaller file does not get smaller by as much as a second file takes to keep. */
const MIN_COMPRESSED_BYTES = 512
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Leaves each text beside itself as brotli and as gzip, as small as they get: the api sends what a
 * browser takes (services/api/web.ts) and compresses nothing itself.
 */
function precompress(): Plugin {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir)
    },
    async closeBundle() {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /^[^.].*\.(?:js|css|svg|json)$/.test(name))
      await Promise.all(
        files.map(async (name) => {
          const path = join(folder, name)
          const whole = readFileSync(path)
          if (whole.length < MIN_COMPRESSED_BYTES) return
          const [smallest, small] = await Promise.all([brotli(whole), gzipped(whole, { level: 9 })])
          writeFileSync(`${path}.br`, smallest)
          writeFileSync(`${path}.gz`, small)
        })
      )
    }
  }
}

/** The font is asked for with the page, not once the styles have named it. */
const preloadFont = (): Plugin => ({
  name: 'preload-font',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      return Object.keys(bundle)
        .filter((name) => /-latin-wght-.*\.woff2$/.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${name}`, as: 'font', type: 'font/woff2', crossorigin: true },
          injectTo: 'head' as const
        }))
    }
  }
})

/** Pages, dialogs and other parts that load by themselves are some hundred. */
const MOST_PARTS = 40

export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  plugins: [react(), notePackages(), listParts(), noteModules(), preloadFont(), precompress()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // Read by the test of weights; the api does not serve it.
    manifest: true,
    // Every browser of the target knows it.
    modulePreload: { polyfill: false },
    // Names carry a hash of the content: browsers keep them for ever.
    assetsDir: 'assets',
    // Small images would become data: addresses; files are simpler to allow and to keep.
    assetsInlineLimit: 0,
    // The whole of what the first load needs is weighed, compressed, by a test.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // Every page carries the names of what it may load. Another language is told by its name
        // from what loads ahead.
        chunkFileNames: ({ name }) => (name === 'german' ? 'assets/german-[hash].js' : 'assets/[hash].js'),
        assetFileNames: ({ names: [name = ''] }) => (name.endsWith('.css') ? 'assets/[hash][extname]' : 'assets/[name]-[hash][extname]'),
        codeSplitting: {
          groups: [
            // What every page needs is one file: many small ones compress worse, and each must be
            // named.
            { name: 'base', tags: ['$initial'], priority: 2 },
            // What most parts share, together.
            { name: 'common', minShareCount: MOST_PARTS, priority: 1 }
          ]
        }
      }
    }
  },
  // In development (`npm start`, then `npx vite services/web --host 127.0.0.1`) the api answers,
  // and is told its own origin: it takes writes with a cookie from nowhere else.
  server: { proxy: { '/api/v1': { target: api, ws: true, headers: { origin: api } }, '/docs': { target: api } } }
})
