/**
 * Serves the documentation for people: guides, API reference, operations. Each page is built once,
 * when it is first asked for; a browser that already has it gets 304.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { projectRoot } from '../../../schemas/files.ts'
import { sha256 } from '../../credentials/credentials.ts'
import { html } from './html.ts'
import { type Rendered, render } from './markdown.ts'
import { framed, guideUrl, imageUrl, type Page, pictureUrl, places, SCRIPT, STYLE } from './page.ts'
import { type OpenApi, referenceOf } from './reference.ts'
import { type Part, partsOf, resultsOf, SEARCH } from './search.ts'

/** The guides, in the order in which people read them. */
export const guides = [
  'watch-a-site',
  'watch-a-cron-job',
  'private-locations',
  'teams',
  'on-call',
  'alerts-and-routing',
  'deployments',
  'after-an-incident',
  'connect-alertmanager',
  'connect-opsgenie-clients',
  'notifications',
  'read-the-topics'
] as const

/** One guide for each kind of channel, named after it. */
export const channelGuides: readonly string[] = readdirSync(join(projectRoot, 'docs/guides/channels'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `channels/${file.slice(0, -'.md'.length)}`)
  .sort()

/** Pictures of what arrives, by kind of channel. */
const pictures: readonly string[] = readdirSync(join(projectRoot, 'docs/guides/pictures')).map((file) => file.replace(/\.svg$/, ''))

/** The pictures of the dashboard. */
const images: readonly string[] = readdirSync(join(projectRoot, 'docs/images')).map((file) => file.replace(/\.webp$/, ''))

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
const document = (file: string): Rendered => render(read(file), file)
const guide = (name: string): Rendered => document(`docs/guides/${name}.md`)

function ofDocument({ title, headings, body }: Rendered): Page {
  const parts = headings.filter(({ level }) => level === 2)
  return { title, contents: html`<ul>\n${parts.map(({ name, text }) => html`<li><a href="#${name}">${text}</a></li>\n`)}</ul>`, main: body }
}

function index(): Page {
  const entries = guides.map((name) => {
    const { title, lead } = guide(name)
    return html`<li><a href="${guideUrl(name)}">${title}</a><p>${lead}</p></li>\n`
  })
  const kinds = channelGuides.map((name) => html`<li><a href="${guideUrl(name)}">${guide(name).title}</a></li>\n`)
  const main = html`<h1>Documentation</h1>
<h2 id="guides">Guides</h2>
<ul class="entries">
${entries}</ul>
<h2 id="channels">Channels, one by one</h2>
<ul>
${kinds}</ul>
<h2 id="reference">Reference</h2>
<ul class="entries">
<li><a href="${places.api.url}">${places.api.title}</a><p>Every operation, with its fields, its limits, its answers, and an example to paste.</p></li>
<li><a href="/api/v1/public/openapi.json">OpenAPI</a><p>The same for machines.</p></li>
<li><a href="${places.operations.url}">${places.operations.title}</a><p>How the service is run on one node or several, watched, kept and restored.</p></li>
</ul>`
  return { title: places.index.title, contents: null, main }
}

const missing: Page = {
  title: 'There is no such page',
  contents: null,
  main: html`<h1>There is no such page</h1><p>See the <a href="${places.index.url}">documentation</a> for those that there are.</p>`
}

/** A body, plain and compressed, each with its own ETag. */
interface Stored {
  plain: { body: Buffer; etag: string }
  compressed: { body: Buffer; etag: string }
}

function stored(content: string | Buffer): Stored {
  const body = Buffer.from(content)
  const name = sha256(body).toString('hex').slice(0, 16)
  return { plain: { body, etag: `"${name}"` }, compressed: { body: gzipSync(body), etag: `"${name}-gzip"` } }
}

/** 304 for who has it. */
function answer(request: FastifyRequest, reply: FastifyReply, page: Stored, type: string): FastifyReply {
  const gzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(request.headers['accept-encoding'] ?? '')
  const { body, etag } = gzip ? page.compressed : page.plain
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (gzip) reply.header('content-encoding', 'gzip')
  return reply.type(type).send(body)
}

const HTML = 'text/html; charset=utf-8'

/**
 * Every page by its address. `app` is asked for its description when the reference is first
 * requested.
 */
const pagesOf = (app: FastifyInstance): Readonly<Record<string, () => Page>> => ({
  [places.index.url]: index,
  [places.api.url]: () => referenceOf(app.swagger() as unknown as OpenApi),
  [places.operations.url]: () => ofDocument(document('docs/operations.md')),
  ...Object.fromEntries([...guides, ...channelGuides].map((name) => [guideUrl(name), () => ofDocument(guide(name))]))
})

/** Every address that is served here; any other address below /docs does not exist. */
export const docsAddresses: readonly string[] = [
  ...Object.values(places).map(({ url }) => url),
  ...[...guides, ...channelGuides].map(guideUrl),
  ...pictures.map(pictureUrl),
  ...images.map(imageUrl),
  STYLE,
  SCRIPT
]
export const ELSEWHERE = '/docs/*'

/** Reads and compresses a file when it is first asked for, once per process. */
function file(url: string, path: string, type: string): { url: string; type: string; content: () => Stored } {
  let content: Stored | undefined
  return {
    url,
    type,
    content() {
      content ??= stored(readFileSync(join(projectRoot, path)))
      return content
    }
  }
}

const files = [
  ...pictures.map((name) => file(pictureUrl(name), `docs/guides/pictures/${name}.svg`, 'image/svg+xml; charset=utf-8')),
  ...images.map((name) => file(imageUrl(name), `docs/images/${name}.webp`, 'image/webp')),
  file(STYLE, 'services/api/docs/style.css', 'text/css; charset=utf-8'),
  file(SCRIPT, 'services/api/docs/docs.js', 'text/javascript; charset=utf-8')
]

export function installDocs(app: FastifyInstance): void {
  for (const [url, make] of Object.entries(pagesOf(app))) {
    let page: Stored | undefined
    app.get(url, async (request, reply) => {
      page ??= stored(framed(url, make()))
      return answer(request, reply, page, HTML)
    })
  }
  for (const { url, type, content } of files) app.get(url, async (request, reply) => answer(request, reply, content(), type))
  // Built on the first search, because it needs every page.
  let parts: Part[] | undefined
  app.get(SEARCH, async (request, reply) => {
    parts ??= Object.entries(pagesOf(app)).flatMap(([url, make]) => (url === places.index.url ? [] : partsOf(url, make())))
    const { q } = request.query as { q?: unknown }
    const query = typeof q === 'string' ? q : ''
    return reply
      .header('cache-control', 'no-cache')
      .type(HTML)
      .send(framed('', resultsOf(parts, query), query))
  })
  const nothing = framed('', missing)
  app.get(ELSEWHERE, async (_request, reply) => reply.code(404).type(HTML).send(nothing))
}
