/**
 * Runs the guides of docs/guides on the product: every command runs as printed, and its output must
 * match what the guide shows. The links of the documents must lead somewhere. Planted faults must
 * be found. It needs `npm run build`, which `npm test` does; the guide of the Python client needs
 * `python3` with `pip`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { endpoints } from '../../schemas/http/endpoints.ts'
import { program } from '../harness/debian.ts'
import { productEngines } from '../harness/engines.ts'
import { startProduct } from '../harness/product.ts'
import { SHORT_LIVED } from '../harness/short-lived.ts'
import { faultsOf, keeps, stepsOf } from './guide.ts'
import { deadLinks } from './links.ts'

const GUIDES = 'docs/guides'
/** A hang is a failure; a slow machine is not. */
const LIMIT_SECONDS = 240
t.setTimeout(1_500_000)

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
const guides = readdirSync(join(projectRoot, GUIDES)).filter((name) => name.endsWith('.md'))

t.test('a guide is split into commands and the output that it promises', async (t) => {
  const guide = '# A\n\n```sh\necho a\n```\n\n```text\na\n```\n\nWords.\n\n```\nnpm start\n```\n\n```sh\necho b\necho c\n```\n'
  t.same(stepsOf(guide), [
    { line: 4, commands: 'echo a', promise: 'a' },
    { line: 18, commands: 'echo b\necho c', promise: null }
  ])
  t.throws(() => stepsOf('```sh\ntrue\n```\n\nWords.\n\n```text\na\n```\n'), /^line 8: a promise that belongs to no commands/)
  t.throws(() => stepsOf('```sh\ntrue\n'), /^line 2: a fence that is not closed/)
})

t.test('printed output is compared with the promised output', async (t) => {
  const cases: [promise: string, printed: string, kept: boolean][] = [
    ['a', 'a\n', true],
    ['a', 'a  \n\n', true],
    ['a', 'b', false],
    ['a', 'a\nb', false],
    ['a\nb', 'a', false],
    ['key: …', 'key: 7', true],
    ['key: …', 'key: 7\nmore', false],
    ['(a+b) …', '(a+b) c', true],
    ['(a+b)', 'aab', false],
    ['a\n…\nd', 'a\nb\nc\nd', true],
    ['a\n…\nd', 'a\nd', false],
    ['', '', true],
    ['', 'a', false]
  ]
  for (const [promise, printed, kept] of cases) t.equal(keeps(promise, printed), kept, JSON.stringify([promise, printed]))
})

t.test('the check finds each planted fault in a guide', async (t) => {
  const faults = (guide: string) => faultsOf(stepsOf(guide), { environment: { GIVEN: 'x' }, limitSeconds: 20 })
  const shell = (...blocks: string[]) => blocks.map((block) => `\`\`\`sh\n${block}\n\`\`\`\n`).join('\n')
  t.same(await faults(`${shell('echo "$GIVEN"')}\n\`\`\`text\nx\n\`\`\`\n`), [], 'a control')
  t.same(await faults(shell('a=1', 'echo "$a" > file; rm file', 'printf "no end of line"')), [], 'one shell from top to bottom')
  t.match(await faults(shell('true', 'echo before; false; echo behind', 'true')), [
    /^line 6: the commands ended with 1 and printed:\nbefore$/
  ])
  t.match(await faults(shell('false | true')), [/^line 2: the commands ended with 1/], 'within a pipe, too')
  t.match(await faults(shell('echo "$nobody_set_this"')), [/^line 2: .*nobody_set_this: unbound variable/s])
  t.match(await faults(shell('echo "unclosed')), [/^line 2: the commands ended with 2/])
  t.match(await faults(`${shell('echo a')}\n\`\`\`text\nb\n\`\`\`\n`), [/^line 2: promised\nb\nand printed\na$/])
  t.match(await faults(`${shell('echo a >&2')}\n\`\`\`text\n\`\`\`\n`), [/^line 2: promised\n\nand printed\na$/], 'complaints are seen')
  t.same(await faults(shell('echo a > forgotten')), ['files are left: forgotten'])
  t.same(await faults(shell('sleep 600 &')), ['a program is left running'])
  t.same(
    await faults(shell('sh -c \'trap "sleep 1; exit" TERM; while :; do sleep 0.1; done\' &\nsleep 0.5; kill $!')),
    [],
    'one that takes its time to end'
  )
})

t.test('every link in the documents has a target', async (t) => {
  const inDocs = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  t.ok(inDocs.length > guides.length)
  const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...inDocs.map((name) => `docs/${name}`)]
  t.same(
    documents.flatMap((file) => deadLinks(file, read(file))),
    []
  )
  const planted =
    '[a](operations.md) [b](nothing.md) [c](../README.md#two-commands) [d](../README.md#nothing) [e](#here) [f](../../x.md) `[g](x)`\n# Here\n'
  t.same(deadLinks('docs/planted.md', planted), [
    'docs/planted.md: nothing.md is no file of the repository',
    'docs/planted.md: README.md has no heading #nothing',
    'docs/planted.md: ../../x.md is no file of the repository'
  ])
  const named = documents.flatMap((file) => [...read(file).matchAll(/`\/docs\/api#(\w+)`/g)].map(([, id = '']) => id))
  t.ok(named.length > 0)
  t.same(
    named.filter((id) => !Object.hasOwn(endpoints, id)),
    [],
    'operations that they name are there'
  )
})

t.test('the commands of every guide print what the guide shows', async (t) => {
  t.ok(guides.length >= 5)
  for (const name of ['curl', 'prometheus', 'prometheus-alertmanager']) await program(name, name)
  // A broker of its own: the guides use the topic names of a manual run, without a prefix.
  const shared = await productEngines({ ownBroker: true })
  const product = await startProduct({ environment: { ...shared.environment, PROBER_ALLOW_CIDRS: '127.0.0.0/8' }, nodeArgs: SHORT_LIVED })
  t.teardown(async () => {
    await product.stop()
    await shared.clear()
  })
  t.jobs = guides.length
  await Promise.all(
    guides.map((name) =>
      t.test(name, { buffered: true }, async (t) => {
        const steps = stepsOf(read(`${GUIDES}/${name}`))
        t.ok(steps.filter(({ promise }) => promise !== null).length >= 3, 'it promises something')
        t.same(await faultsOf(steps, { environment: { SERVICE_DATA_DIR: product.dataDir }, limitSeconds: LIMIT_SECONDS }), [])
      })
    )
  )
})
