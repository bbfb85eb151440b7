/**
 * What `import t from 'tap'` gives to a compiled test file. If several.ts runs the file with
 * others, this is the test that stands for the file; otherwise it is tap's own `t`. A hook of
 * Node's loader could also tell the files apart, but takes a twelfth of the time of each process.
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
