/**
 * Builds the dashboard into dist/web: `vite build --config services/web/vite.config.ts`. The api serves it (services/api/web.ts) and puts a fresh nonce for styles where the
 * placeholder stands.
 */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

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
  // What the api answers in development: `npm start`, then `npx vite services/web`.
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } } }
})
