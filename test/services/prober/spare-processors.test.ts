/** Tests of which processors costly work may use. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { laterHalf, onSpareProcessors, processorsOf } from '../../../services/prober/spare-processors.ts'

t.test('lists of processors', async (t) => {
  t.same(processorsOf('0'), [0])
  t.same(processorsOf('0-3,8'), [0, 1, 2, 3, 8])
  t.throws(() => processorsOf('all'), RangeError)
})

t.test('the later half of the processors, or none for a single one', async (t) => {
  t.equal(laterHalf([0]), null)
  t.same(laterHalf([0, 1]), [1])
  t.same(laterHalf([0, 1, 2]), [2])
  t.same(laterHalf([4, 5, 6, 7]), [6, 7])
})

t.test('a command for spare processors runs only on them', async (t) => {
  const read = (words: string[]): number[] => {
    const [file = '', ...args] = [...words, 'cat', '/proc/self/status']
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(execFileSync(file, args, { encoding: 'utf8' }))?.[1]
    return processorsOf(list ?? '')
  }
  const all = read([])
  t.same(read(onSpareProcessors()), laterHalf(all) ?? all)
})
