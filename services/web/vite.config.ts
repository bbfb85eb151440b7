/**
 * Builds the dashboard into dist/web: `vite build --config services/web/vite.config.ts`. The api
 * serves it (services/api/web.ts) and puts a fresh nonce for styles where the placeholder stands.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
    closeBundle() {
      const dist = join(import.meta.dirname, '../../dist')
      mkdirSync(dist, { recursive: true })
      writeFileSync(join(dist, 'dashboard-packages.json'), `${JSON.stringify([...folders].sort(), null, 1)}\n`)
    }
  }
}

/** Names every file that pages are loaded from, for shell/ahead.ts. */
const listParts = (): Plugin => ({
  name: 'list-parts',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const names = Object.keys(bundle).filter((name) => /^assets\/.*\.(?:js|css)$/.test(name))
      this.emitFile({ type: 'asset', fileName: 'parts.json', source: JSON.stringify(names.sort()) })
    }
  }
})

export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  plugins: [react(), notePackages(), listParts()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // Names carry a hash of the content: browsers keep them for ever.
    assetsDir: 'assets',
    // Small images would become data: addresses; files are simpler to allow and to keep.
    assetsInlineLimit: 0,
    // The whole of what the first load needs is weighed, compressed, by a test.
    chunkSizeWarningLimit: 1000
  },
  // In development (`npm start`, then `npx vite services/web --host 127.0.0.1`) the api answers,
  // and is told its own origin: it takes writes with a cookie from nowhere else.
  server: { proxy: { '/api/v1': { target: api, ws: true, headers: { origin: api } }, '/docs': { target: api } } }
})
