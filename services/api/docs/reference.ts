/**
 * Builds the API reference from the OpenAPI document: by tag, each operation with who may call it,
 * what it takes, an example to paste, and what it answers. `Resolve` follows references within the
 * document.
 */
import { statusOf } from '../http/errors.ts'
import { exampleOf } from './examples.ts'
import { type Html, html } from './html.ts'
import { renderLine } from './markdown.ts'
import type { Page } from './page.ts'
import { fieldTable, type Resolve, type Schema, typeText, whatOf } from './shapes.ts'

interface Content {
  schema?: Schema
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<string, { description: string; content?: Record<string, Content> }>
}

export interface OpenApi {
  info: { title: string; version: string }
  servers?: { url: string }[]
  tags?: { name: string; description?: string }[]
  components?: { schemas?: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

interface Listed extends Operation {
  method: string
  path: string
}

const JSON_TYPE = 'application/json'

const resolverOf =
  ({ components }: OpenApi): Resolve =>
  (schema) => {
    const name = schema.$ref?.replace('#/components/schemas/', '')
    return name === undefined ? schema : (components?.schemas?.[name] ?? {})
  }

const callers: Readonly<Record<string, string>> = { token: 'an API token', session: 'a session', prober: 'the token of a prober' }

/** Returns who may call an operation. */
function callerText({ security = [] }: Operation): string {
  const known = security.flatMap((one) => Object.keys(one)).map((name) => callers[name] ?? name)
  if (known.length === 0) return 'Anyone may call it.'
  return `Needs ${known.join(' or ')}${security.some((one) => Object.keys(one).length === 0) ? ', if there is one' : ''}.`
}

/**
 * The example as a shell command. The base address and the token are in the variables that the
 * guides use.
 */
function curlOf({ method, path, security = [], operationId, requestBody }: Listed, resolve: Resolve): string {
  const lines = [`curl -sS${method === 'GET' ? '' : ` -X ${method}`} "$base${path.replaceAll(/\{(\w+)\}/g, '$$$1')}"`]
  if (security.some((one) => 'token' in one || 'prober' in one)) lines.push('-H "authorization: Bearer $token"')
  else if (security.some((one) => 'session' in one)) lines.push('-b session.txt')
  const body = requestBody?.content[JSON_TYPE]?.schema
  if (body) {
    const example = JSON.stringify(exampleOf(operationId, resolve(body), resolve), null, 2)
      .replaceAll('\n', '\n  ')
      .replaceAll("'", "'\\''")
    lines.push("-H 'content-type: application/json'", `-d '${example}'`)
  }
  return lines.join(' \\\n  ')
}

function parameterTable({ parameters = [] }: Operation, resolve: Resolve): Html | null {
  if (parameters.length === 0) return null
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    return html`<tr><th scope="row"><code>${name}</code>${required ? html` <small>required</small>` : null}</th><td>${place}, ${typeText(resolve(schema), resolve)}</td>
<td>${whatOf(description, resolve(schema), resolve)}</td></tr>\n`
  })
  return html`<div class="wide" tabindex="0" role="group" aria-label="Parameters"><table class="fields"><caption>Parameters</caption>
<thead><tr><th scope="col">Parameter</th><th scope="col">Where, type</th><th scope="col">What</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`
}

/**
 * Lists successful answers with their fields, then refusals with their codes. All refusals have the
 * one shape of errors.
 */
function answers({ responses }: Operation, resolve: Resolve): Html {
  const all = Object.entries(responses)
  const good = all.filter(([status]) => Number(status) < 400)
  const refused = all.filter(([status]) => Number(status) >= 400)
  const shown = good.map(([status, { content = {} }]) => {
    const schema = content[JSON_TYPE]?.schema
    const table = schema && fieldTable(resolve(schema), resolve, `Fields of the answer ${status}`)
    const others = Object.keys(content).filter((type) => type !== JSON_TYPE)
    const also = others.length > 0 ? html` (also as ${others.map((type, at) => html`${at === 0 ? '' : ', '}<code>${type}</code>`)})` : null
    const label = html`<b class="good">${status}</b> ${schema ? 'JSON' : 'nothing'}${also}`
    return table ? html`<details><summary>${label}</summary>${table}</details>\n` : html`<p>${label}</p>\n`
  })
  const codes = refused.map(
    ([status, { description, content = {} }]) =>
      html`<li><b>${status}</b> ${content[JSON_TYPE]?.schema?.$ref ? html`<code>${description}</code>` : renderLine(description)}</li>\n`
  )
  return html`<h4>Answers</h4>\n${shown}${codes.length > 0 ? html`<p>Refusals, <a href="#errors">all of one shape</a>:</p>\n<ul class="refusals">\n${codes}</ul>\n` : null}`
}

function operation(one: Listed, resolve: Resolve): Html {
  const body = one.requestBody?.content[JSON_TYPE]?.schema
  return html`<section class="operation" id="${one.operationId}" aria-labelledby="${one.operationId}-name">
<h3 id="${one.operationId}-name"><a href="#${one.operationId}">${one.summary ?? one.operationId}</a></h3>
<p class="address"><b class="method ${one.method.toLowerCase()}">${one.method}</b> <code>${one.path}</code></p>
<p>${callerText(one)}${one.description ? html` ${renderLine(one.description)}` : null}</p>
<pre class="code paste" tabindex="0" role="group" aria-label="Example"><code>${curlOf(one, resolve)}</code></pre>
${parameterTable(one, resolve)}
${body ? fieldTable(resolve(body), resolve, one.requestBody?.required ? 'Body' : 'Body, may be left out') : null}
${answers(one, resolve)}</section>
`
}

const tagId = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

function introduction(document: OpenApi): Html {
  return html`<h1>API reference</h1>
<p>Version ${document.info.version}. The base address is <code>${document.servers?.[0]?.url ?? ''}</code>; the same in a form for machines is <a href="/api/v1/public/openapi.json">OpenAPI 3.1</a>.</p>
<p>Programs send an API token as <code>Authorization: Bearer service_…</code>. A token does what its scopes and the role of its owner both allow. Bodies and answers are JSON. In the examples, <code>$base</code>
is the base address, <code>$token</code> the token, and a name from the path what it says; a click on an example selects all of it.</p>
`
}

function errors(resolve: Resolve): Html {
  const rows = Object.entries(statusOf).map(
    ([code, status]) => html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td></tr>\n`
  )
  return html`<section id="errors" aria-labelledby="errors-name">
<h2 id="errors-name">Errors</h2>
<p>The code is the contract, the text is for people and may change. An error with 429 or 503 says in <code>Retry-After</code> when to try again.</p>
${fieldTable(resolve({ $ref: '#/components/schemas/Error' }), resolve, 'Fields of an error')}
<div class="wide" tabindex="0" role="group" aria-label="Codes"><table><caption>Codes</caption><thead><tr><th scope="col">Code</th><th scope="col">Status</th></tr></thead>
<tbody>
${rows}</tbody></table></div>
</section>
`
}

/**
 * Builds the page. Operations are in the order of the document, each under the first of its tags.
 */
export function referenceOf(document: OpenApi): Page {
  const resolve = resolverOf(document)
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Listed => ({ ...one, method: method.toUpperCase(), path }))
  )
  const tags = (document.tags ?? [])
    .map(({ name, description }) => ({ name, description, operations: all.filter(({ tags: [tag] = [] }) => tag === name) }))
    .filter(({ operations }) => operations.length > 0)
  const contents = html`<ul>
${tags.map(
  ({ name, operations }) => html`<li><a href="#${tagId(name)}">${name}</a><ul>
${operations.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary ?? operationId}</a></li>\n`)}</ul></li>
`
)}<li><a href="#errors">Errors</a></li>
</ul>`
  const sections = tags.map(
    ({ name, description, operations }) => html`<section id="${tagId(name)}" aria-labelledby="${tagId(name)}-name">
<h2 id="${tagId(name)}-name">${name}</h2>
${description ? html`<p>${renderLine(description)}</p>` : null}
${operations.map((one) => operation(one, resolve))}</section>
`
  )
  return { title: 'API reference', contents, main: html`${introduction(document)}${sections}${errors(resolve)}` }
}
