/**
 * What a test file needs follows from its imports: a pure test waits for no engine, and every test
 * gets what it runs against.
 */
import t from 'tap'
import { type Needs, needsOf } from './needs.ts'

const none: Needs = { engines: false, service: false, dashboard: false }

/**
 * The sources below are written with double quotes, so that this file itself imports none of them.
 */
t.test('a test file needs what it imports, also through other files', async (t) => {
  const files: Record<string, string> = {
    'test/harness/engines.ts': '',
    'test/harness/deep.ts': `export { database } from "./engines.ts"`,
    'test/harness/product.ts': `const entry = join(projectRoot, "dist/services/local/main.js")`,
    'services/api/web.ts': `const BUILT = join(projectRoot, "dist/web")`,
    'streams/rules.ts': `import { circle } from "./circle.ts"`,
    'streams/circle.ts': `import { rule } from "./rules.ts"`
  }
  const of = (text: string): Needs =>
    needsOf('test/a/some.test.ts', (path) => (path === 'test/a/some.test.ts' ? text : (files[path] ?? '')).replaceAll('"', "'"))
  for (const [text, needs] of [
    [`import t from "tap"\nimport { rule } from "../../streams/rules.ts"`, none],
    [`import { database } from "../harness/engines.ts"`, { ...none, engines: true }],
    [`import { database } from "../harness/deep.ts"`, { ...none, engines: true }],
    [`import type { Teardown } from "../harness/engines.ts"`, none],
    [`import {\n  type Teardown,\n  database\n} from "../harness/engines.ts"`, { ...none, engines: true }],
    [`const worker = moduleUrl("../harness/deep.ts", import.meta.url)`, { ...none, engines: true }],
    [`const late = await import("../harness/deep.ts")`, { ...none, engines: true }],
    [`import { buildWeb } from "../../services/api/web.ts"`, { ...none, dashboard: true }],
    [`const bill = read("dist/sbom.json")`, { engines: false, service: true, dashboard: true }],
    [`import { startProduct } from "../harness/product.ts"`, { engines: false, service: true, dashboard: true }]
  ] as const)
    t.same(of(text), needs, text)
})

t.test('needs of real test files', async (t) => {
  t.same(needsOf('test/services/prober/assertions.test.ts'), none, 'rules need nothing')
  t.match(needsOf('test/streams/incident/store.test.ts'), { engines: true })
  t.match(needsOf('test/product/product.test.ts'), { service: true, dashboard: true })
})
