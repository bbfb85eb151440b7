/**
 * Tests of the pictures in the channel guides: they match what is sent now, are small, and work in
 * both colour schemes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { stale } from '../../../schemas/generate.ts'
import { apps } from '../../../services/channels/apps/index.ts'
import type { SendRequest } from '../../../services/channels/channel.ts'
import { builtKinds } from './contract.ts'
import { pictureOf, type Shown } from './picture-svg.ts'
import { shownBy } from './picture-words.ts'
import { pictures } from './pictures.ts'

const MAX_BYTES = 15 * 1024

t.test('each kind has an up-to-date picture of its message in its guide', async (t) => {
  const drawn = await pictures()
  t.same(stale(drawn), [], 'else run npm run pictures')
  const files = readdirSync(join(projectRoot, 'docs/guides/pictures'))
  const names = [...builtKinds, ...Object.keys(apps).map((kind) => `${kind}-app`)]
  t.same(files.sort(), names.map((name) => `${name}.svg`).sort())
  for (const kind of names) {
    const svg = drawn.get(`docs/guides/pictures/${kind}.svg`) ?? ''
    t.ok(Buffer.byteLength(svg) <= MAX_BYTES, `${kind}: ${Buffer.byteLength(svg)} bytes`)
    t.match(svg, /prefers-color-scheme:dark/, kind)
    t.match(svg, /api(?:\.| dot )example(?:\.| dot )com|svc-inc|INC-42/, `${kind}: is about what is broken`)
    t.notMatch(svg, /href|url\(|@import|<image|<script/, `${kind}: loads nothing`)
    const guide = readFileSync(join(projectRoot, `docs/guides/channels/${kind.replace(/-app$/, '')}.md`), 'utf8')
    t.match(guide, `](../pictures/${kind}.svg)`)
  }
})

t.test('a payload that cannot be drawn is an error, and hostile text stays text in a picture', async (t) => {
  const sent = (body: object): SendRequest => {
    const headers = { 'content-type': 'application/json' }
    return { via: 'http', method: 'POST', url: 'https://x/', headers, body: JSON.stringify(body), secrets: [], guarded: false }
  }
  t.throws(() => shownBy('slack', sent({ words: 'x' }), false), /slack: its payload says nothing/)
  t.throws(() => shownBy('pigeon', sent({ text: 'x' }), false), /pigeon: nobody knows how its payload is shown/)
  t.match(shownBy('slack', sent({ text: 'a\nb' }), true), { title: 'a', lines: ['b'], tone: 'good' })
  const hostile: Shown = {
    tone: 'bad',
    title: '</text><script>',
    lines: ['"&<'.repeat(300)],
    facts: [['<a>', '<b>']],
    link: null,
    buttons: ['</text>'],
    over: null
  }
  t.notMatch(pictureOf('bubble', '<x>', [hostile]), /<script|<x>|<a>|<b>/)
})
