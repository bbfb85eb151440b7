/**
 * Builds the dashboard into dist/web: `vite build --config services/web/vite.config.ts`. The api
 * serves it (services/api/web.ts) and replaces the placeholder with a fresh nonce for styles.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const api = process.env.SERVICE_PUBLIC_URL ?? 'http://127.0.0.1:8080'

/**
 * Returns the package's folder from the project's root, as package-lock.json names it; null: the
 * module is the project's own.
 */
const folderOf = (module: string): string | null =>
  /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(module.replaceAll('\\', '/'))?.[1] ?? null

/**
 * Records the packages that the dashboard's files are made from. They are shipped just like the
 * packages that the roles load (services/supply-chain/sbom.ts).
 */
function notePackages(): Plugin {
  const folders = new Set<string>()
  return {
    name: 'note-packages',
    apply: 'build',
    // Sees every module that is read, styles too. It also records modules that the bundler leaves
    // out later.
    load: {
      handler(module) {
        const folder = folderOf(module)
        if (folder !== null) folders.add(folder)
        return null
      }
    },
    // Files that styles refer to are not modules.
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
 * Lists every file that pages load from, for shell/ahead.ts. Texts of other languages are left out:
 * they load only for people who read them.
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
 * Records the file that contains each of the project's modules, by its path in this folder. The
 * manifest does not name the modules of a file that several pages share. It is for the test of
 * bundle sizes; the api serves neither.
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

/** A smaller file saves less by compression than a second file costs to store. */
const MIN_COMPRESSED_BYTES = 512
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Writes a brotli and a gzip copy of each text file, as small as possible. The api sends the one
 * that the browser accepts (services/api/web.ts) and compresses nothing itself.
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

/** Preloads the font with the page, instead of after the styles refer to it. */
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

/**
 * A module that at least this many parts share goes into a common file. There are about a hundred
 * parts, such as pages and dialogs, that load by themselves.
 */
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
    // Read by the test of bundle sizes; the api does not serve it.
    manifest: true,
    // Every target browser supports modulepreload.
    modulePreload: { polyfill: false },
    // Names contain a hash of the content, so browsers may cache them for ever.
    assetsDir: 'assets',
    // Otherwise small images become data: URLs. Files are simpler to allow in the CSP and to cache.
    assetsInlineLimit: 0,
    // A test checks the compressed size of everything that the first load needs.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // Short names, because every page lists the files that it may load. Another language keeps
        // its name, so that it can be left out of the files that load ahead.
        chunkFileNames: ({ name }) => (name === 'german' ? 'assets/german-[hash].js' : 'assets/[hash].js'),
        assetFileNames: ({ names: [name = ''] }) => (name.endsWith('.css') ? 'assets/[hash][extname]' : 'assets/[name]-[hash][extname]'),
        codeSplitting: {
          groups: [
            // All that every page needs is in one file: many small files compress worse, and each
            // must be named.
            { name: 'base', tags: ['$initial'], priority: 2 },
            // One file for the modules that most parts share.
            { name: 'common', minShareCount: MOST_PARTS, priority: 1 }
          ]
        }
      }
    }
  },
  // In development (`npm start`, then `npx vite services/web --host 127.0.0.1`) requests go to the
  // api with the api's own origin, because it accepts writes with a cookie from no other origin.
  server: { proxy: { '/api/v1': { target: api, ws: true, headers: { origin: api } }, '/docs': { target: api } } }
})
