/** Tests of Markdown as the pages show it: which elements it makes, and which it never makes. */
import t from 'tap'
import { type Node, toTree } from '../../../services/web/parts/markdown.ts'

/**
 * Returns the tree as text, as in `<p>a <strong>b</strong></p>`. The text is escaped, so each
 * element comes from the tree.
 */
const shown = (nodes: readonly Node[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return node.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      const { tag, href, start, children } = node
      return `<${tag}${href === undefined ? '' : ` ${href}`}${start === undefined ? '' : ` ${start}`}>${shown(children)}</${tag}>`
    })
    .join('')

const cases: readonly (readonly [what: string, written: string, tree: string])[] = [
  ['a sentence', 'Disk is full.', '<p>Disk is full.</p>'],
  ['strong, emphasis, struck, code', '**a** _b_ ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>'],
  ['lines stay lines', 'one\ntwo', '<p>one<br></br>two</p>'],
  ['paragraphs', 'one\n\ntwo', '<p>one</p><p>two</p>'],
  ['a list', '- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
  ['a loose list', '- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
  ['a numbered list that goes on', '3. a\n4. b', '<ol 3><li>a</li><li>b</li></ol>'],
  ['a list in a list', '- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
  ['a block of code', '```sh\nls -l\n  *\n```', '<pre><code>ls -l\n  *</code></pre>'],
  ['a heading is a strong line', '# Now', '<p><strong>Now</strong></p>'],
  ['a quotation', '> so', '<blockquote><p>so</p></blockquote>'],
  ['a line', 'a\n\n---\n\nb', '<p>a</p><hr></hr><p>b</p>'],
  [
    'a table',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>'
  ],
  ['a link', '[runbook](https://wiki.example/x)', '<p><a https://wiki.example/x>runbook</a></p>'],
  ['an address in a sentence', 'see https://wiki.example/x.', '<p>see <a https://wiki.example/x>https://wiki.example/x</a>.</p>'],
  ['a mail address', '[us](mailto:ops@example.com)', '<p><a mailto:ops@example.com>us</a></p>'],
  ['a name of a host is no link', 'db-1.internal, ops@example.com', '<p>db-1.internal, ops@example.com</p>'],
  ['underscores within a name', 'disk_free_bytes', '<p>disk_free_bytes</p>'],
  ['a picture is a link', '![graph](https://wiki.example/g.png)', '<p><a https://wiki.example/g.png>graph</a></p>'],
  ['a picture of no address is its words', '![graph](g.png)', '<p>graph</p>'],
  ['HTML is text', '<script>alert(1)</script>', '<p>&lt;script>alert(1)&lt;/script></p>'],
  ['HTML in a line is text', 'a <img src=x onerror=alert(1)>', '<p>a &lt;img src=x onerror=alert(1)></p>'],
  ['a script is no link', '[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
  ['nor in disguise', '[a](java&#115;cript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
  ['data is no link', '[a](data:text/html,hi)', '<p>[a](data:text/html,hi)</p>'],
  ['nor is a page of ours', '[a](/settings/tokens)', '<p>a</p>'],
  ['nor another protocol', '<ssh://host/>', '<p>ssh://host/</p>'],
  ['nothing', '', '']
]

for (const [what, written, tree] of cases) t.test(what, async (t) => t.equal(shown(toTree(written)), tree))

t.test('Markdown with thousands of marks is parsed to the end', async (t) => {
  for (const mark of ['> ', '- ', '*', '[', '`', '![', '<', '|']) {
    const nodes = toTree(mark.repeat(10_000 / mark.length))
    t.ok(shown(nodes).length > 0, mark)
  }
})
