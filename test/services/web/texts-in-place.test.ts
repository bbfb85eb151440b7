/**
 * Checks that no page contains words of its own: all texts for people are in services/web/texts,
 * where they can be read in one place and translated. It examines what a page shows: text within
 * tags, attributes and fields that people read, and messages about an action. Numbers, signs and
 * units are not words.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseSync } from 'vite'
import { projectRoot } from '../../../schemas/files.ts'

const web = join(projectRoot, 'services/web')

/** Code that a person may type, and names that are the same in every language. */
const allowed: readonly string[] = [
  // An address, labels and templates that serve as placeholders.
  'https://',
  'https://example.com',
  'payments',
  'team',
  '{label.cluster}/{label.alertname}',
  '{label.name}',
  '{title}',
  // Headers, JSON paths and protocol versions.
  'Content-Type',
  '$.status',
  '$.token',
  'HTTP/1.1',
  'HTTP/2',
  // Commands and files in the snippets that heartbeats offer.
  'curl',
  'crontab -e',
  '/etc/systemd/system/',
  '.service',
  '.timer',
  '.yaml',
  // An example alert for a rule.
  'Disk full on db-1',
  'SHA-256',
  'UTC'
]

/** Attributes and object fields that people read or hear. */
const read = new Set([
  ...['addLabel', 'alt', 'answer', 'aria-label', 'aria-placeholder', 'aria-valuetext', 'aside', 'description', 'error', 'hint', 'label'],
  ...['message', 'nameLabel', 'namePlaceholder', 'next', 'nothingFoundMessage', 'placeholder', 'question', 'summary', 'title', 'verb'],
  ...['what', 'word']
])

/** Functions whose arguments are shown. */
const telling = new Set(['entitle', 'tellDone', 'tellRefused'])

const units = new Set(['B', 'KB', 'MB', 'd', 'h', 'min', 'ms', 's'])

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value
const nodesIn = (value: unknown): Node[] => [value].flat().filter(isNode)
const fieldOf = (node: Node, field: string): Node | null => nodesIn(node[field])[0] ?? null
const textOf = (node: Node, field: string): string => (typeof node[field] === 'string' ? node[field] : '')

/** Whether a person would read the text as words. */
const isWords = (text: string): boolean =>
  !allowed.includes(text.trim()) && (text.match(/\p{L}+/gu) ?? []).some((word) => word.length > 1 && !units.has(word))

/**
 * A text like `unread` or `/wall`: one of a few values, or a path. Between tags, the same text
 * would be read by people.
 */
const isCode = ({ type, value }: Node): boolean => type === 'Literal' && typeof value === 'string' && /^(?:[a-z_]+$|\/)/.test(value)

/**
 * Returns the texts that an expression evaluates to. Conditions and calls in it are not examined.
 */
function said(node: Node | null): Node[] {
  switch (node?.type) {
    case 'Literal':
    case 'JSXText':
    case 'TemplateElement':
      return [node]
    case 'TemplateLiteral':
      return nodesIn(node.quasis)
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return said(fieldOf(node, 'expression'))
    case 'ConditionalExpression':
      return [...said(fieldOf(node, 'consequent')), ...said(fieldOf(node, 'alternate'))]
    case 'LogicalExpression':
    case 'BinaryExpression':
      // Operands of a comparison are not shown.
      return /^(?:\+|\?\?|\|\||&&)$/.test(textOf(node, 'operator'))
        ? [...(node.operator === '&&' ? [] : said(fieldOf(node, 'left'))), ...said(fieldOf(node, 'right'))]
        : []
    default:
      return []
  }
}

const nameOf = (node: Node | null): string =>
  node === null ? '' : typeof node.name === 'string' ? node.name : typeof node.value === 'string' ? node.value : ''

/** Returns what is shown at this place of the page, apart from what is below it. */
function shownAt(node: Node): Node[] {
  switch (node.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return nodesIn(node.children).flatMap(said)
    case 'JSXAttribute':
      return read.has(nameOf(fieldOf(node, 'name'))) ? said(fieldOf(node, 'value')).filter((one) => !isCode(one)) : []
    case 'Property':
      return read.has(nameOf(fieldOf(node, 'key'))) ? said(fieldOf(node, 'value')).filter((one) => !isCode(one)) : []
    case 'CallExpression':
      return telling.has(nameOf(fieldOf(node, 'callee')))
        ? nodesIn(node.arguments)
            .flatMap(said)
            .filter((one) => !isCode(one))
        : []
    default:
      return []
  }
}

/** Returns the text of a literal, of text between tags, or of a part of a template. */
function writtenAs({ type, value }: Node): string {
  if (typeof value === 'string') return value
  const cooked = type === 'TemplateElement' && typeof value === 'object' && value !== null && 'cooked' in value ? value.cooked : ''
  return typeof cooked === 'string' ? cooked : ''
}

/**
 * Returns lines such as `12: Save changes`: the words that the source itself shows, in their order.
 */
function wordsIn(name: string, source: string): string[] {
  const { program, errors } = parseSync(name, source)
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const found = new Map<number, string>()
  const waiting: unknown[] = [program]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    for (const node of isNode(next) ? shownAt(next) : []) {
      const text = writtenAs(node)
      if (isWords(text)) found.set(node.start, text.replace(/\s+/g, ' ').trim())
    }
    waiting.push(...Object.values(next).filter((value) => value !== undefined))
  }
  return [...found].sort(([one], [other]) => one - other).map(([start, text]) => `${source.slice(0, start).split('\n').length}: ${text}`)
}

t.test('the check finds words of a page wherever they are shown', async (t) => {
  const place = (name: string): string => `$\{${name}}`
  const source = [
    'const look = { tone: "bad", word: "It is down" }',
    'const page = <p title="A title" className="not shown">Text of a page</p>',
    `const one = <Button label={open ? "Close it" : askedText("verb.open")}>{count === 1 ? "row" : \`rows in ${place('one')}\`}</Button>`,
    `const two = <Field label={fieldsText("field.name")} hint={\`Up to ${place('most')}: seven days\`} size="large" />`,
    `tellDone(\`${place('name')} is gone\`)`,
    'const toggle = { word: "unread", label: "Unread", next: "/wall" }',
    'const three = <>{ready && "Ready now"}{kind === "other kind" ? null : <i>{" "}</i>}</>',
    `const none = <p>{at} · {length} ms{", "}{\`${place('one')}/${place('two')}\`} <code>SHA-256</code></p>`
  ]
  t.same(wordsIn('planted.tsx', source.join('\n')), [
    '1: It is down',
    '2: A title',
    '2: Text of a page',
    '3: Close it',
    '3: row',
    '3: rows in',
    '4: Up to',
    '4: : seven days',
    '5: is gone',
    '6: Unread',
    '7: Ready now'
  ])
})

t.test('no page contains words of its own', async (t) => {
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/^(?:texts\/|api\/openapi\.ts$)/.test(file))
    .sort()
  t.ok(files.length > 300, `${files.length} files`)
  for (const file of files) {
    const words = wordsIn(file, readFileSync(join(web, file), 'utf8'))
    t.same(words, [], `${file}: move these to services/web/texts`)
  }
})
