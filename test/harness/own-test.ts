/**
 * What `import t from 'tap'` gives to a compiled test file: the test that stands for it where
 * several.ts runs it with others, else tap's own. A hook of Node's loader could tell
 * the files apart, too, and takes a twelfth of the time of each process.
 */
import type { Test } from 'tap'
import { running } from './running-test.ts'
import { t } from './whole-tap.ts'

const own = (): Test => running.test ?? t

export default new Proxy({} as Test, {
  get(_, name) {
    const test = own()
    const value: unknown = Reflect.get(test, name)
    return typeof value === 'function' ? value.bind(test) : value
  },
  set: (_, name, value) => Reflect.set(own(), name, value)
})
