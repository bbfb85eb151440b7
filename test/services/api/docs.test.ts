/**
 * Tests of the documentation pages: they are complete, safe and linked, and the API reference has
 * every operation of the endpoint table once.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { Compile } from 'typebox/compile'
import { projectRoot } from '../../../schemas/files.ts'
import { type Endpoint, endpoints } from '../../../schemas/http/endpoints.ts'
import { anchorsOf } from '../../../services/api/docs/anchors.ts'
import { exampleOf } from '../../../services/api/docs/examples.ts'
import { html } from '../../../services/api/docs/html.ts'
import { render, renderLine } from '../../../services/api/docs/markdown.ts'
import { framed } from '../../../services/api/docs/page.ts'
import { type OpenApi, referenceOf } from '../../../services/api/docs/reference.ts'
import { channelGuides, docsAddresses, guides } from '../../../services/api/docs/routes.ts'
import { excerptOf, found, type Part } from '../../../services/api/docs/search.ts'
import { look } from './html-faults.ts'
import { stand } from './stand.ts'

/** Content types by file extension. An address without an extension is a page. */
const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  html: 'text/html'
}
const charsetOf = (url: string): string => (url.endsWith('.webp') ? '' : '; charset=utf-8')

t.test('the documentation pages', async (t) => {
  const s = await stand(t)
  const { app } = s
  const get = (url: string, headers = {}) => s.call(null, 'GET', url, undefined, { headers })
  const pages = docsAddresses.filter((url) => !/\.(?:css|js|svg|webp)$/.test(url))

  await t.test('each page is well-formed, and its links have targets', async (t) => {
    t.ok(pages.length >= 8)
    const seen = new Map(await Promise.all(pages.map(async (url) => [url, look((await get(url)).body)] as const)))
    for (const [url, { faults, links }] of seen) {
      t.same(faults, [], url)
      for (const link of links) {
        const [path = '', anchor] = link.split('#')
        if (path === '' || /^https?:/.test(link)) continue
        const page = seen.get(path)
        if (page) t.ok(anchor === undefined || page.ids.includes(anchor), `${url}: ${link}`)
        else t.ok(['/', '/docs/style.css', '/api/v1/public/openapi.json'].includes(link), `${url}: ${link}`)
      }
    }
    const all = new Set([...seen.values()].flatMap(({ links }) => links))
    for (const url of pages) t.ok(all.has(url), `something leads to ${url}`)
  })

  await t.test('the pages have a strict content policy, gzip and ETags', async (t) => {
    for (const url of docsAddresses) {
      const plain = await get(url)
      t.equal(plain.statusCode, 200, url)
      t.match(plain.headers, {
        'content-type': `${types[/(?<=\.)\w+$/.exec(url)?.[0] ?? 'html'] ?? 'text/html'}${charsetOf(url)}`,
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
        'content-encoding': undefined
      })
      t.match(plain.headers['content-security-policy'], /style-src 'self'(;|$)/)
      t.notMatch(plain.headers['content-security-policy'], /unsafe|nonce/)
      const small = await get(url, { 'accept-encoding': 'br, gzip' })
      t.equal(small.headers['content-encoding'], 'gzip')
      t.equal(gunzipSync(small.rawPayload).toString(), plain.body)
      t.not(small.headers.etag, plain.headers.etag)
      t.equal((await get(url, { 'accept-encoding': 'gzip;q=0, br' })).headers['content-encoding'], undefined)
      for (const [etag, encoding] of [
        [plain.headers.etag, 'identity'],
        [small.headers.etag, 'gzip']
      ]) {
        const again = await get(url, { 'if-none-match': String(etag), 'accept-encoding': encoding })
        t.equal(again.statusCode, 304)
        t.equal(again.body, '')
      }
      t.equal((await get(url, { 'if-none-match': '"other"' })).statusCode, 200)
      t.equal((await s.call(null, 'HEAD', url)).statusCode, 200)
    }
  })

  await t.test('the style has readable contrast in both colour schemes and loads nothing', async (t) => {
    const { body } = await get('/docs/style.css')
    t.match(body, /@media \(prefers-color-scheme: dark\)/)
    t.notMatch(body, /url\(|@import|https?:/)
    const colours = [...body.matchAll(/--([a-z]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => ({ name, value }))
    const half = colours.length / 2
    for (const scheme of [colours.slice(0, half), colours.slice(half)]) {
      const surfaces = scheme.filter(({ name }) => name === 'page' || name === 'sunken')
      t.equal(surfaces.length, 2)
      for (const { name, value } of scheme.filter((one) => !surfaces.includes(one) && one.name !== 'line'))
        for (const surface of surfaces) t.ok(contrast(value, surface.value) >= 4.5, `${name} ${value} on ${surface.value}`)
    }
    t.ok(contrast('#777777', '#ffffff') < 4.5, 'a control')
  })

  await t.test('the search finds pages by their words, and shows the words within their text', async (t) => {
    const search = async (q: string) => {
      const { body, statusCode } = await get(`/docs/search?q=${encodeURIComponent(q)}`)
      const { faults, links } = look(body)
      t.equal(statusCode, 200)
      t.same(faults, [], q)
      return { body, hits: links.filter((link) => /^\/docs\/.*#/.test(link)) }
    }
    t.equal((await search('acknowledge an incident')).hits[0], '/docs/api#acknowledgeIncident-name')
    t.match((await search('Alertmanager')).hits[0], /^\/docs\/guides\//)
    const backup = await search('BACKUP postgres')
    t.match(backup.hits.join(), /\/docs\/operations#/)
    const shown = backup.body.split('<li>').slice(1)
    t.equal(shown.length, backup.hits.length)
    for (const hit of shown) t.match(hit, /<p>.*<mark>(backup|postgres)<\/mark>.*<\/p>/is)
    for (const nothing of ['', 'a', 'qqqqqq zzzzzz']) t.same((await search(nothing)).hits, [], nothing)
    t.match((await search('qqqqqq')).body, /Nothing has all of these words/)
    const { body } = await search('<script>alert(1)</script> "token')
    t.notMatch(body, /<script>alert/)
    t.match(body, /value="&lt;script&gt;alert\(1\)&lt;\/script&gt; &quot;token"/)
    t.equal((await get('/docs/search?q=a&q=b')).statusCode, 200)
    t.equal((await get('/docs/search')).statusCode, 200)
  })

  await t.test('an unknown address gets a 404 page', async (t) => {
    for (const url of [
      '/docs/guides/nothing',
      '/docs/guides/watch-a-site.md',
      '/docs/guides/..%2F..%2Fpackage.json',
      '/docs/nothing',
      '/docs/guides'
    ]) {
      const answer = await get(url)
      t.equal(answer.statusCode, 404, url)
      t.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      t.same(look(answer.body).faults, [])
      t.match(answer.body, /There is no such page/)
    }
    t.equal((await s.call(null, 'POST', '/docs', {})).statusCode, 404)
  })

  await t.test('the served guides match the files in docs/guides', async (t) => {
    const files = readdirSync(join(projectRoot, 'docs/guides')).filter((name) => name.endsWith('.md'))
    t.same(files.sort(), guides.map((name) => `${name}.md`).sort())
    const index = (await get('/docs')).body
    for (const name of [...guides, ...channelGuides]) {
      const markdown = readFileSync(join(projectRoot, 'docs/guides', `${name}.md`), 'utf8')
      const { body } = await get(`/docs/guides/${name}`)
      t.same(
        look(body).ids.filter((id) => id !== 'main'),
        anchorsOf(markdown),
        name
      )
      for (const [, commands = ''] of markdown.matchAll(/```sh\n([\s\S]*?)```/g))
        t.ok(body.includes(html`<code>${commands}</code>`.text), 'each block can be copied as it is')
      const [title] = /(?<=^# ).*/m.exec(markdown) ?? ['none']
      t.ok(index.includes(html`${title}</a>`.text), title)
    }
  })

  await t.test('the API reference has every operation exactly once', async (t) => {
    const { body } = await get('/docs/api')
    const rows: [string, Endpoint][] = Object.entries(endpoints)
    const sections = body.split('<section class="operation" id="').slice(1)
    t.same(sections.map((section) => section.slice(0, section.indexOf('"'))).sort(), rows.map(([id]) => id).sort())
    const addresses = [...body.matchAll(/<b class="method [a-z]+">([A-Z]+)<\/b> <code>([^<]+)<\/code>/g)].map(
      ([, method, path]) => `${method} ${path}`
    )
    t.same(addresses.sort(), rows.map(([, { method, path }]) => `${method} ${path}`).sort())
    const { paths } = app.swagger() as unknown as OpenApi
    for (const [id, { summary, scope, or, own, role, path, method }] of rows) {
      const section = sections.find((one) => one.startsWith(`${id}"`)) ?? ''
      t.ok(section.includes(html`>${summary}</a>`.text), `${id}: summary`)
      const needed = [scope, ...(or ?? [])].map((one) => `<code>${one}</code>`).join(' or ')
      const access = own
        ? `With a session, everybody${own === 'readers' ? ' who may read' : ''}; with a token, scope ${needed}.`
        : `Scope ${needed}, role ${role} or above.`
      if (scope) t.ok(section.includes(access), `${id}: who may`)
      t.ok(section.includes(html`${`"$base${path.replaceAll(/\{(\w+)\}/g, '$$$1')}"`}`.text), `${id}: a command`)
      const { parameters = [], requestBody, responses } = paths[path]?.[method.toLowerCase()] ?? { responses: {} }
      const fields = Object.keys(requestBody?.content['application/json']?.schema?.properties ?? {})
      for (const name of [...parameters.map((one) => one.name), ...fields]) t.ok(section.includes(`<code>${name}</code>`), `${id}: ${name}`)
      for (const status of Object.keys(responses)) t.match(section, new RegExp(`<b[^>]*>${status}</b>`), `${id}: ${status}`)
    }
  })

  await t.test('examples of the API reference are valid requests', async (t) => {
    const document = app.swagger() as unknown as OpenApi
    let bodies = 0
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      const schema = operation.requestBody?.content['application/json']?.schema
      if (!schema) continue
      bodies += 1
      const example = exampleOf(operation.operationId, schema, (one) => one)
      t.ok(Compile(schema as object).Check(example), `${operation.operationId}: ${JSON.stringify(example)}`)
    }
    t.ok(bodies > 20)
    for (const id of ['createMonitor', 'createHeartbeat', 'createIntegration', 'createToken'] as const) {
      const { path, success } = endpoints[id]
      const answer = await s.call(
        s.acme,
        'POST',
        path,
        exampleOf(id, {}, (one) => one)
      )
      t.equal(answer.statusCode, success, `${id}: ${answer.body}`)
    }
  })
})

t.test('headings with all words come first, then those with some, titles and texts', async (t) => {
  const part = (heading: string, text: string, page = 'Guide'): Part => ({
    url: `/docs/${heading}`,
    page,
    heading,
    text: `${heading} ${text}`
  })
  const parts = [
    part('Limits', 'mute alert '.repeat(50)),
    part('Rates', 'mute alert', 'Each alert'),
    part('One alert', 'mute'),
    part('Alert, alert and alert', 'mute'),
    part('An alert that you mute', ''),
    part('Mute alert', ''),
    part('Mute', 'nothing else')
  ]
  t.same(
    found(parts, 'Mute ALERT').map(({ heading }) => heading),
    ['Mute alert', 'An alert that you mute', 'Alert, alert and alert', 'One alert', 'Rates', 'Limits']
  )
})

t.test('an excerpt is the text around the first of the words, which are marked', async (t) => {
  const of = (text: string, ...words: string[]) => excerptOf({ url: '/docs', page: 'Guide', heading: 'A', text }, words).text
  t.equal(of('A <b> Token & a tokens.', 'token'), 'A &lt;b&gt; <mark>Token</mark> &amp; a <mark>token</mark>s.')
  const [before, after] = ['b'.repeat(100), 'c'.repeat(100)]
  t.equal(of(`${before}token${after} word ${after} token`, 'word', 'token'), `… ${'b'.repeat(80)}<mark>token</mark>${'c'.repeat(75)} …`)
  t.equal(of(`token${after}${after}`, 'token'), `<mark>token</mark>${'c'.repeat(155)} …`)
  t.equal(of('a.b', 'a.b', '(x'), '<mark>a.b</mark>')
})

/** WCAG 2.2, 1.4.3. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

t.test('descriptions cannot inject HTML into the reference', async (t) => {
  const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](data:text/html,x) \${x} & </code></pre>`
  const schema = {
    type: 'object',
    required: [hostile],
    properties: {
      [hostile]: { type: 'string', description: hostile, pattern: hostile, enum: [hostile], default: hostile, format: hostile },
      inner: { type: 'array', items: { type: 'object', properties: { [hostile]: { type: hostile } } } }
    },
    patternProperties: { [hostile]: { type: 'string' } },
    propertyNames: { pattern: hostile }
  }
  const content = { 'application/json': { schema }, [hostile]: {} }
  const document: OpenApi = {
    info: { title: hostile, version: hostile },
    servers: [{ url: hostile }],
    tags: [{ name: hostile, description: hostile }],
    paths: {
      [hostile]: {
        post: {
          operationId: 'planted',
          summary: hostile,
          description: hostile,
          tags: [hostile],
          security: [{ [hostile]: [] }],
          parameters: [{ name: hostile, in: hostile, required: true, description: hostile, schema: schema.properties[hostile] ?? {} }],
          requestBody: { content },
          responses: { 200: { description: hostile, content }, 400: { description: hostile } }
        }
      }
    }
  }
  const page = referenceOf(document)
  const { faults, text } = look(framed('/docs/api', page))
  t.same(faults, [])
  t.ok(text.split('&lt;script&gt;alert(1)&lt;/script&gt;').length > 15, 'it is shown as text')

  const markdown = render(
    `# ${hostile}\n\n${hostile}\n\n<b onclick="x">\n\n\`\`\`${hostile}\n${hostile}\n\`\`\`\n\n\`${'`/docs/"onx'}\`\n`,
    'docs/x.md'
  )
  t.same(look(markdown.body.text).faults, [])
  t.notMatch(markdown.body.text, /<script|<img|<b /)
  t.same(look(renderLine(hostile).text).faults, [])
  t.equal(
    html`<a title="${'"><b>'}">${['<', html`<i>${"'"}</i>`, 1, null]}</a>`.text,
    '<a title="&quot;&gt;&lt;b&gt;">&lt;<i>&#39;</i>1</a>'
  )
})

t.test('links between documents lead to their pages', async (t) => {
  const { body, title, lead, headings } = render(
    '# A & B\n\nRead [this](../operations.md#several-machines), [that](watch-a-site.md), [code](../../schemas/topics.ts), [all](https://example.com/) and `/docs/api#login`.\n\n## A\n\n## A\n',
    'docs/guides/x.md'
  )
  t.equal(title, 'A & B')
  t.match(lead, /^Read this, that, code, all and/)
  t.same(
    headings.map(({ name }) => name),
    ['a--b', 'a', 'a-1']
  )
  t.same(look(body.text).links, [
    '/docs/operations#several-machines',
    '/docs/guides/watch-a-site',
    'https://example.com/',
    '/docs/api#login'
  ])
})

t.test('the page check finds each planted fault', async (t) => {
  const cases: [string, RegExp][] = [
    ['<p><b>a</p></b>', /closes/],
    ['<p>a', /not closed/],
    ['<div style="x">a</div>', /style on <div>/],
    ['<a onclick="x">a</a>', /onclick/],
    ['<script src="x"></script>', /not served/],
    ['<p id="a"></p><p id="a"></p>', /twice/],
    ['<a href="#b">a</a>', /leads nowhere/],
    ['<a href="javascript:x">a</a>', /javascript/],
    ['<p>a < b</p>', /stray bracket/],
    ['<p>a & b</p>', /stray ampersand/],
    ['<p><div>a</div></p>', /in a paragraph/]
  ]
  for (const [page, fault] of cases) t.match(look(page).faults.join('\n'), fault, page)
  t.same(look('<!doctype html><p id="a"><a href="#a">b &amp; c</a></p>').faults, [], 'a control')
})
