/**
 * Tests of the dashboard's addresses: what is written into one is read back, and unknown parameters
 * are dropped.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { ownPathOf, pageOf, parseSearch, stringifySearch, textOf, wordOf, wordsOf } from '../../../services/web/search.ts'

t.test('search parameters are readable and survive a round trip', async (t) => {
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

t.test('unknown and invalid search parameters are dropped', async (t) => {
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

t.test('a log-in leads only to a path of our own origin', async (t) => {
  const own = [
    '/',
    '/incidents?status=resolved',
    '/monitors/a-b?tab=checks&q=a%20b#latest',
    '/settings/tokens?x=https://other.example/',
    '/@me',
    '/a//b',
    '/a:b'
  ]
  for (const path of own) t.equal(ownPathOf(path), path)
  const others = [
    undefined,
    7,
    '',
    'incidents',
    'https://evil.example/',
    'HTTPS:/evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '///evil.example',
    '////evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\\evil.example',
    '\t//evil.example',
    ' //evil.example',
    ' https://evil.example',
    '\u0000//evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    '/%2f/evil.example',
    '/%2F%2Fevil.example',
    '/%5cevil.example',
    '/%5C%5Cevil.example',
    '/%09/evil.example',
    '/%0a/evil.example',
    '/%252f/evil.example',
    '/%',
    '//',
    '/\u2028x',
    'http://127.0.0.1:8080/incidents'
  ]
  for (const text of others) t.equal(ownPathOf(text), undefined, encodeURIComponent(String(text)))
})

t.test('no accepted path leads a browser away from our origin', async (t) => {
  const alphabet = fc.constantFrom(
    '/',
    '\\',
    '.',
    '%2f',
    '%5c',
    '%2e',
    '%',
    '\t',
    '\n',
    ':',
    '@',
    '?',
    '#',
    'a',
    'https',
    'evil.example',
    ' '
  )
  const text = fc.array(alphabet, { maxLength: 8 }).map((parts) => `/${parts.join('')}`)
  const stays = fc.property(fc.oneof(text, fc.webUrl(), fc.string()), (given) => {
    const path = ownPathOf(given)
    return path === undefined || new URL(path, 'https://ours.example/login').origin === 'https://ours.example'
  })
  t.doesNotThrow(() => fc.assert(stays, { numRuns: 2000 }))
})
