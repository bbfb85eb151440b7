/** Tests of which Node options of a role its own processes get. */
import t from 'tap'
import { optionsForChild } from '../../../services/process/child.ts'

//  a case                                  the prober's                                    the evaluator's
const cases: [string, string[], string[]][] = [
  ['none', [], []],
  ['what loads TypeScript, and source maps', ['--import=tsx', '--enable-source-maps'], ['--import=tsx', '--enable-source-maps']],
  ['a debugger', ['--inspect', '--inspect-brk=9230', '--enable-source-maps'], ['--enable-source-maps']],
  ['a script after its option', ['--import=tsx', '--eval', 'startAll()', '--no-warnings'], ['--import=tsx', '--no-warnings']],
  ['a script after a short option', ['-e', '--no-warnings'], []],
  ['a script that is printed', ['-p', 'startAll()'], []],
  ['a script in its option', ['--eval=startAll()', '--print=1'], []]
]

for (const [name, given, expected] of cases) t.test(name, async (t) => t.same(optionsForChild(given), expected))
