/**
 * Serves the dashboard from dist/web, where `npm run build` puts it. Browsers keep files with a
 * hash in their name for ever; these are sent as the build has compressed them. The page itself is
 * requested anew each time, and gets a fresh nonce for the styles that its components add. Every
 * address of the dashboard gets the same page: its own router reads the address. A browser that
 * opens an address that does not exist gets the page, too, as a 404, and the page says so in its
 * own words.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { projectRoot } from '../../schemas/files.ts'

const BUILT = join(projectRoot, 'dist/web')
const NONCE = '__NONCE__'
const NAME = '__PRODUCT_NAME__'

/** Addresses of the dashboard's router (services/web/router.tsx). */
export const addresses = [
  '/',
  '/login',
  '/password',
  '/password/*',
  '/welcome',
  '/incidents',
  '/incidents/*',
  '/alerts',
  '/alerts/*',
  '/maintenance',
  '/maintenance/*',
  '/silences',
  '/silences/*',
  '/monitors',
  '/monitors/*',
  '/heartbeats',
  '/heartbeats/*',
  '/on-call',
  '/on-call/*',
  '/integrations',
  '/integrations/*',
  '/feed',
  '/analytics',
  '/wall',
  '/settings',
  '/settings/*',
  '/invites/*',
  '/links/*'
]

const policy = (nonce: string, frames: boolean): string =>
  [
    "default-src 'none'",
    ...(frames ? ["frame-src 'self'"] : []),
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join(';')

/** Sends the page; null: it is not built. */
export type Dashboard = ((reply: FastifyReply) => FastifyReply) | null

export interface DashboardOptions {
  /** The name of the product. */
  name: string
  /** Whether the page shows stored mails, each in a sandboxed frame. */
  frames?: boolean
  built?: string
}

const inHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

export function openDashboard({ name, frames = false, built = BUILT }: DashboardOptions): Dashboard {
  const file = join(built, 'index.html')
  if (!existsSync(file)) return null
  const page = readFileSync(file, 'utf8').replaceAll(NAME, () => inHtml(name))
  return (reply) => {
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers({ 'cache-control': 'no-store', 'content-security-policy': policy(nonce, frames) })
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE, nonce))
  }
}

/** Addresses for machines: a request there never gets a page. */
const FOR_MACHINES = /^\/(?:api|ping|assets)(?:\/|$)/

/** Whether a person's browser, not a script, asks for an address that may be a page's. */
export const wantsPage = ({ method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): boolean =>
  (method === 'GET' || method === 'HEAD') && !FOR_MACHINES.test(url.split('?', 1)[0] ?? '') && /\btext\/html\b/i.test(headers.accept ?? '')

/** Names of the files that can be requested. Their compressed versions are sent in their place. */
const assetsOf = (built: string): ReadonlySet<string> =>
  new Set(readdirSync(join(built, 'assets')).filter((name) => !/^\.|\.(?:br|gz)$/.test(name)))

export async function installWeb(
  app: FastifyInstance,
  dashboard: Dashboard = openDashboard({ name: 'Dashboard' }),
  built: string = BUILT
): Promise<void> {
  if (!dashboard) {
    app.log.warn('the dashboard is not built: npm run build')
    return
  }
  const sent: FastifyStaticOptions = {
    root: built,
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      const kept = path.includes('/assets/')
      response.setHeader('vary', 'accept-encoding')
      response.setHeader('cache-control', kept ? 'public, max-age=31536000, immutable' : 'public, max-age=300')
    }
  }
  // One route for each file: nothing else in the folder can be requested.
  await app.register(fastifyStatic, { ...sent, wildcard: false, globIgnore: ['index.html', '**/*.br', '**/*.gz', 'assets/**'] })
  // There are hundreds of these files, and routes for them would take as long as the rest of a
  // start. So their names are checked instead.
  const names = assetsOf(built)
  await app.register(fastifyStatic, {
    ...sent,
    root: join(built, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    allowedPath: (_path, _root, request) => names.has((request.params as { '*': string })['*'])
  })
  for (const address of addresses) app.get(address, async (_request, reply) => dashboard(reply))
}
