/** Addresses of the dashboard: what is written comes back, and what nobody knows is dropped. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { pageOf, parseSearch, stringifySearch, textOf, wordOf, wordsOf } from '../../services/web/search.ts'

t.test('what is written is readable, and comes back', async (t) => {
  t.equal(
    stringifySearch({ status: ['down', 'up'], q: 'a b', page: 2, from: '2026-11-22T10:00:00Z' }),
    '?status=down,up&q=a+b&page=2&from=2026-11-22T10:00:00Z'
  )
  t.equal(stringifySearch({ status: [], q: '', page: undefined, unread: false }), '')
  t.same(parseSearch('?status=down,up&q=a+b'), { status: 'down,up', q: 'a b' })
  const comesBack = fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1 })), (search) =>
    isDeepStrictEqual(parseSearch(stringifySearch(search)), { ...search })
  )
  t.doesNotThrow(() => fc.assert(comesBack, { numRuns: 500 }))
})

t.test('an old address still opens', async (t) => {
  const known = ['down', 'up', 'paused'] as const
  t.same(wordsOf('up,nonsense,down', known), ['down', 'up'])
  t.same(wordsOf(['paused', 'x'], known), ['paused'])
  t.same(wordsOf(undefined, known), [])
  t.equal(wordOf('up', known), 'up')
  t.equal(wordOf('UP', known), undefined)
  t.equal(textOf(''), undefined)
  t.equal(textOf(7), undefined)
  for (const [given, page] of [
    ['2', 2],
    ['1', undefined],
    ['0', undefined],
    ['-3', undefined],
    ['2.5', undefined],
    ['x', undefined],
    ['99999', undefined]
  ] as const)
    t.equal(pageOf(given), page, given)
})
