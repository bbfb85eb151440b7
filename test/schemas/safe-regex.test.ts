/**
 * The size limit of user-written regular expressions: what each expression counts as, compared with
 * the programs that the engine compiles.
 */
import fc from 'fast-check'
import { RE2JS } from 're2js'
import t from 'tap'
import {
  checkExpression,
  compileExpression,
  expandedNodes,
  MATCHED_CHARACTERS,
  MAX_NODES,
  UnsafeExpression
} from '../../schemas/safe-regex.ts'

/** Number of instructions of the program; null when the engine does not accept the expression. */
function programSize(expression: string): number | null {
  try {
    const { re2Input } = RE2JS.compile(expression) as unknown as { re2Input: { numberOfInstructions(): number } }
    return re2Input.numberOfInstructions()
  } catch {
    return null
  }
}

/** Every program begins with a failure and ends with a match. */
const FRAME = 2

t.test('sizes of regular expressions', async (t) => {
  const rows: [expression: string, nodes: number | null][] = [
    ['', 1],
    ['abc', 3],
    ['a|b', 3],
    ['a||b', 5],
    ['(a)', 3],
    ['(?:a)', 1],
    ['(?P<name>a)(?<other>b)', 6],
    ['(?i)a', 1],
    ['a*', 3],
    ['a+?', 5],
    ['a{3}', 3],
    ['a{2,5}', 8],
    ['a{2,}', 4],
    ['a{,5}', 5],
    ['a{05}', 5],
    ['(?:ab){10}', 20],
    ['((a{10}){10}){10}', 1220],
    ['(a|b|c|d){500}', 4500],
    ['\\Qa*b\\E', 3],
    ['\\Qa{900}{900}', 11],
    ['[a-z]', 1],
    ['[]a]', 1],
    ['[^]a-]{4}', 4],
    ['[[:alpha:]_]', 1],
    ['[(?:{9}|*]', 1],
    ['\\pL', 25],
    ['\\p{Greek}{10}', 70],
    ['[\\pL\\pN]', 49],
    ['(?i)[\\x{80}-\\x{10FFFF}]', 627],
    ['[\\x{80}-\\x{10FFFF}]', 1],
    ['(((((a{1000}){1000}){1000}){1000}){1000})', 1_000_000_002],
    ['(', null],
    [')', null],
    ['a)', null],
    ['*', null],
    ['a|*', null],
    ['(?=a)', null],
    ['(?<=a)', null],
    ['[a', null],
    ['a\\', null],
    ['[a\\', null]
  ]
  for (const [expression, nodes] of rows) t.equal(expandedNodes(expression), nodes, expression)
  t.equal(expandedNodes('('.repeat(100_000)), null, 'no depth is too deep')
  t.equal(expandedNodes(`${'('.repeat(100_000)}a${')'.repeat(100_000)}`), 200_001)
})

const atoms = [
  ...[
    'a',
    'b',
    '.',
    '^',
    '$',
    'é',
    '😀',
    ']',
    '-',
    '{',
    '}',
    '{01}',
    '{,3}',
    '()',
    '(?:)',
    '\\b',
    '\\d',
    '\\w',
    '\\.',
    '\\n',
    '\\z',
    '\\1',
    '\\C'
  ],
  ...['[a-z]', '[^a]', '[]a]', '[^]a]', '[-a]', '[a-]', '[a\\-z]', '[[:alpha:]x]', '[[:none:]]', '[😀-😎]', '[\\101-\\132]', '[ab\\pN]'],
  ...[
    '\\pL',
    '\\P{Lu}',
    '\\p{Greek}',
    '[\\pL\\d]',
    '[a-\\x{1044f}]',
    '\\x41',
    '\\x{1f600}',
    '\\101',
    '\\Qa*b\\E',
    '\\Q',
    '(?i)',
    '(?s)',
    '(?i-s)',
    '(?P<n>'
  ]
]
const quantifiers = ['', '', '', '*', '+', '?', '*?', '{2}', '{3,}', '{0,5}', '{2,7}?', '{0}', '{1}', '{0,1}', '{30}', '{10,20}', '{100}']

const expressions = fc.letrec<{ one: string; many: string }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...atoms),
    fc.tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('many')).map(([open, inner]) => `${open}${inner})`)
  ),
  many: fc
    .array(fc.tuple(tie('one'), fc.constantFrom(...quantifiers), fc.constantFrom('', '', '', '', '|')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.flat().join(''))
})).many

t.test('no compiled expression is larger than its predicted size', async (t) => {
  const counts = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(expressions, (expression) => {
      const nodes = expandedNodes(expression)
      // Expressions that would be large are not compiled here either.
      if (nodes !== null && nodes > 3 * MAX_NODES) return
      const size = programSize(expression)
      if (size === null) {
        counts.refused++
        return
      }
      counts.taken++
      if (nodes === null) throw new Error('the engine takes what was not read')
      if (size > nodes + FRAME) throw new Error(`${size} instructions of ${nodes}`)
    }),
    { numRuns: 4000 }
  )
  t.ok(counts.taken > 1000 && counts.refused > 100, JSON.stringify(counts))
})

t.test('the predicted size also holds for random text', async () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab(){}[]|*+?\\^$.-,:0159iPpQEx<>='), maxLength: 60 }), (text) => {
      const nodes = expandedNodes(text)
      if (nodes !== null && nodes > 3 * MAX_NODES) return
      const size = programSize(text)
      if (size !== null && (nodes === null || size > nodes + FRAME)) throw new Error(`${size} instructions of ${nodes}`)
    }),
    { numRuns: 5000 }
  )
})

t.test('an expression over a limit is refused with the reason and the figures', async (t) => {
  const refused = (expression: string, compile = checkExpression as (text: string) => unknown): UnsafeExpression => {
    try {
      compile(expression)
    } catch (error) {
      if (error instanceof UnsafeExpression) return error
      throw error
    }
    throw new Error(`${expression} was taken`)
  }
  t.match(refused('(a|b|c|d){500}'), { message: /at most 1000 parts/, limit: 1000, actual: 4500 })
  t.match(refused('a'.repeat(513)), { message: /at most 512 characters/, limit: 512, actual: 513 })
  t.match(refused('(a)\\1', compileExpression), { message: /regular expression of RE2/, limit: null })
  t.match(refused('('), { message: /regular expression of RE2/, limit: null })
  t.match(refused('((a{900}){900}){900}', compileExpression), { limit: 1000 })
  for (const expression of [
    'a{1000}',
    '^(?:[a-z0-9-]{1,63}\\.){2,4}[a-z]{2,63}$',
    '(?i)error|fatal|exception',
    '^\\p{L}{1,64}$',
    'a'.repeat(512)
  ]) {
    t.ok(checkExpression(expression) <= MAX_NODES, expression)
    t.type(compileExpression(expression), 'function')
  }
})

t.test('an expression searches only the first 256 KiB of a text', async (t) => {
  const isFound = compileExpression('needle')
  t.ok(isFound(`${'x'.repeat(MATCHED_CHARACTERS - 6)}needle`))
  t.notOk(isFound(`${'x'.repeat(MATCHED_CHARACTERS - 5)}needle`))
  t.ok(compileExpression('x$')('x'.repeat(MATCHED_CHARACTERS + 1)), 'what comes after it is not there')
})
