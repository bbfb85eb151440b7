/**
 * Builds the dashboard into dist/web: `vite build --config services/web/vite.config.ts`. The api serves it (services/api/web.ts) and puts a fresh nonce for styles where the
 * placeholder stands.
 */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = process.env.SERVICE_PUBLIC_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  plugins: [react()],
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
  // In development (`npm start`, then `npx vite services/web --host 127.0.0.1`) the api answers, and is told its own origin: it takes writes with a cookie from nowhere else.
  server: { proxy: { '/api': { target: api, ws: true, headers: { origin: api } }, '/docs': { target: api } } }
})
