/**
 * Comments keep within 100 columns, indent included, in TypeScript and SQL. TypeScript's parser
 * finds the comments there; for SQL a tokenizer does that knows quoted texts.
 *
 * Lines that cannot be broken may be longer:
 * - an address or another single word: there is no blank where the line could end;
 * - a row of a table, which begins with `|` or has two gaps of two or more blanks between columns;
 * - a drawing, which has characters of boxes or arrow heads;
 * - a directive, which a tool reads in one line.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { parseSync } from 'vite'
import { projectRoot } from '../../schemas/files.ts'

const MAX_WIDTH = 100
const folders = ['schemas', 'streams', 'clickhouse', 'services', 'test', 'compose']
const generated = /^schemas\/generated\/|^services\/web\/api\/openapi\.ts$|^services\/intake\/sources\/index\.ts$/
/**
 * Migrations that were already applied somewhere before this rule never change, nor do their
 * comments.
 */
const frozen = /^schemas\/postgres\/00(?:[01]\d|2[01])_|^clickhouse\/000[1-8]_/

const DRAWN = /[─│┌┐└┘├┤┬┴┼►◄▲▼]/
const DIRECTIVE = /^(?:biome-ignore|@ts-|\/ <)/

interface Span {
  start: number
  end: number
}

/** Matches comments, and quoted texts, which are skipped. ClickHouse escapes with backslashes. */
const sqlTokens = {
  postgres: /(--[^\n]*|\/\*[\s\S]*?\*\/)|'[^']*'|"[^"]*"|(\$\w*\$)[\s\S]*?\2/g,
  clickhouse: /(--[^\n]*|\/\*[\s\S]*?\*\/)|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`/g
}

function commentsOf(path: string, text: string): Span[] {
  if (!path.endsWith('.sql')) {
    const { comments, errors } = parseSync(path, text)
    if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
    return comments
  }
  const tokens = text.matchAll(path.startsWith('clickhouse/') ? sqlTokens.clickhouse : sqlTokens.postgres)
  return [...tokens].flatMap(({ index, 1: comment }) => (comment === undefined ? [] : [{ start: index, end: index + comment.length }]))
}

/** `words`: a line of a comment without its comment marks. */
function unbreakable(words: string): boolean {
  const gaps = words.match(/\S {2,}(?=\S)/g) ?? []
  return !/\s/.test(words) || words.startsWith('|') || gaps.length > 1 || DRAWN.test(words) || DIRECTIVE.test(words)
}

/** `path:line: text` of each comment line that is too wide. */
function wideLines(path: string, text: string): string[] {
  return commentsOf(path, text).flatMap(({ start, end }) => {
    const begin = text.lastIndexOf('\n', start - 1) + 1
    const first = text.slice(0, begin).split('\n').length
    return text
      .slice(begin, end)
      .split('\n')
      .flatMap((line, at) => {
        const words = (at === 0 ? line.slice(start - begin) : line)
          .replace(/^\s*(?:\/\*\*?|\/\/|--|\*(?!\/))?\s*/, '')
          .replace(/\s*\*\/$/, '')
          .replace(/^(?:[-*•]|\d{1,2}[.)])\s+/, '')
        return [...line].length <= MAX_WIDTH || unbreakable(words) ? [] : [`${path}:${first + at}: ${words}`]
      })
  })
}

function allWideLines(root: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((path) => /\.(?:tsx?|sql)$/.test(path) && !generated.test(path) && !frozen.test(path))
      .sort()
      .flatMap((path) => wideLines(path, readFileSync(join(root, path), 'utf8')))
  )
}

t.test('no line of a comment is wider than 100 columns', async (t) => {
  t.same(allWideLines(projectRoot), [])
})

/** Makes a sentence of `width` columns. */
const sentence = (width: number): string =>
  'word '
    .repeat(width)
    .slice(0, width - 1)
    .replace(/ $/, 's')
    .concat('.')
const wide = sentence(120)
const address = `https://example.com/${'a'.repeat(120)}`

const planted: [name: string, path: string, text: string, lines: number[]][] = [
  ['a line', 'services/a.ts', `const a = 1\n// ${wide}\n`, [2]],
  ['a block in one line', 'services/a.ts', `/** ${wide} */\nconst a = 1\n`, [1]],
  ['a line of a block', 'services/a.ts', `/**\n * Short.\n * ${wide}\n * - ${wide}\n */\nconst a = 1\n`, [3, 4]],
  ['a line that is wide by its indent', 'services/a.ts', `{\n${' '.repeat(20)}// ${sentence(80)}\n}\n`, [2]],
  ['a comment behind code', 'services/a.ts', `const a = '${'x'.repeat(60)}' // ${sentence(40)}\n`, [1]],
  ['a comment in JSX', 'services/a.tsx', `const a = <p>{/* ${wide} */}</p>\n`, [1]],
  ['a comment in a template', 'services/a.ts', `const a = \`\${/* ${wide} */ 1}\`\n`, [1]],
  ['a line of SQL', 'schemas/postgres/a.sql', `SELECT 1;\n-- ${wide}\nSELECT 'x' -- ${wide}\n`, [2, 3]],
  ['a line of ClickHouse', 'clickhouse/a.sql', `SELECT 'it\\'s --';\n-- ${wide}\n`, [2]],
  ['just wide enough', 'services/a.ts', `// ${sentence(97)}\n`, []],
  ['one column more', 'services/a.ts', `// ${sentence(98)}\n`, [1]],
  ['texts that look like comments', 'services/a.ts', `const a = ['// ${wide}', \`/* ${wide} */\`, /\\/\\/ ${wide}/]\n`, []],
  ['text of a page', 'services/a.tsx', `const a = <p>{'x'} // ${wide}</p>\n`, []],
  ['texts of SQL', 'schemas/postgres/a.sql', `SELECT '-- ${wide}', 'it''s -- ${wide}', $x$\n-- ${wide}\n$x$;\n`, []],
  ['an address', 'services/a.ts', `// ${address}\n/**\n * - ${address}\n */\n`, []],
  ['an address among words', 'services/a.ts', `// See ${address}\n`, [1]],
  ['rows of tables', 'services/a.ts', `/**\n * | ${wide} |\n *   up   down   ${wide}\n */\n`, []],
  ['a row of two columns', 'services/a.ts', `/**\n *   up   ${wide}\n */\n`, [2]],
  ['a drawing', 'services/a.ts', `// ${'─'.repeat(100)}► ${wide}\n`, []],
  ['a directive', 'services/a.ts', `// biome-ignore lint/a11y: ${wide}\n`, []]
]

t.test('the check finds wide comment lines and allows lines that cannot be broken', async (t) => {
  for (const [name, path, text, lines] of planted)
    t.same(
      wideLines(path, text).map((found) => Number(found.split(':')[1])),
      lines,
      name
    )
})

t.test('the check covers every folder', async (t) => {
  const root = t.testdir({})
  for (const folder of folders) {
    const file = join(root, folder, 'deep/a.ts')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `// ${wide}\n`)
  }
  mkdirSync(join(root, 'schemas/generated'))
  writeFileSync(join(root, 'schemas/generated/a.ts'), `// ${wide}\n`)
  mkdirSync(join(root, 'schemas/postgres'))
  writeFileSync(join(root, 'schemas/postgres/0021_old.sql'), `-- ${wide}\n`)
  t.equal(allWideLines(root).length, folders.length)
})
