/**
 * The bill of materials that the build writes: the lockfile's packages, each in its part, with
 * hashes; and nothing that was made in another place.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { readArchives, readLock } from '../../../services/supply-chain/lock.ts'
import { type Component, completed, type Sbom } from '../../../services/supply-chain/sbom.ts'

const read = <T>(file: string): T => JSON.parse(readFileSync(join(projectRoot, file), 'utf8')) as T
const partOf = ({ properties = [] }: Component): string | undefined => properties.find(({ name }) => name === 'service:part')?.value

t.test('dist/sbom.json lists every package of the lockfile in its part', async (t) => {
  const sbom = read<Sbom>('dist/sbom.json')
  const { name, version } = read<{ name: string; version: string }>('package.json')
  t.match(sbom, {
    bomFormat: 'CycloneDX',
    specVersion: /^1\.\d$/,
    serialNumber: /^urn:uuid:/,
    metadata: { timestamp: /Z$/, component: { type: 'application', name, version } }
  })
  const text = JSON.stringify(sbom)
  t.notMatch(text, projectRoot, 'no folder of this machine')
  t.notMatch(text, /"externalReferences":\[\{/, 'no addresses that it was fetched from')

  const refs = new Set(sbom.components.map((one) => one['bom-ref']))
  t.equal(refs.size, sbom.components.length, 'each once')
  const packages = readLock()
  for (const one of packages) t.ok(refs.has(`${one.name}@${one.version}`), `${one.name}@${one.version}`)
  for (const one of readArchives()) t.ok(refs.has(`pkg:maven/${one.group}/${one.name}@${one.version}`), one.name)

  const parts = new Map(
    ['roles', 'dashboard', 'tools', 'local engines'].map((part) => [part, sbom.components.filter((one) => partOf(one) === part)])
  )
  const names = (part: string): string[] => (parts.get(part) ?? []).map((one) => one.name)
  t.equal([...parts.values()].flat().length, sbom.components.length, 'each has its part')
  for (const one of ['fastify', 'pg', 'kafkajs', 'chdb', 'uwebsockets-current', 'markdown-it']) t.ok(names('roles').includes(one), one)
  for (const one of ['react', 'react-dom', '@mantine/core', 'uplot', 'openapi-fetch']) t.ok(names('dashboard').includes(one), one)
  for (const one of ['vite', 'typescript', 'tap', 'axe-core', 'lightningcss']) t.ok(names('tools').includes(one), one)
  for (const one of ['kafka_2.13', 'apicurio-registry-app']) t.ok(names('local engines').includes(one), one)
  for (const [part, components] of parts)
    for (const one of components) t.equal(one.scope === 'excluded', part === 'tools', `${one.name}: ${one.scope}`)
  t.same(
    sbom.components
      .filter((one) => !one.hashes?.length)
      .map((one) => one.name)
      .sort(),
    ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu'],
    'a hash each, but for those that the registry does not carry'
  )
  const terms = new Set((parts.get('dashboard') ?? []).map(({ licenses }) => JSON.stringify(licenses)))
  t.same(
    [...terms].filter((one) => !/^\[\{"license":\{"id":"(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|OFL-1\.1)"\}\}\]$/.test(one)),
    [],
    'as docs/licences.md says'
  )
})

t.test('a package belongs to the part that ships it', async (t) => {
  const component = (ref: string, scope = 'required'): Component => ({
    'bom-ref': ref,
    type: 'library',
    name: ref.split('@')[0] ?? '',
    version: '1',
    scope
  })
  const sbom: Sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: component('root@1') },
    components: ['both@1', 'shown@1', 'tool@1', 'extra@1'].map((ref) => component(ref, ref === 'extra@1' ? 'optional' : 'required')),
    dependencies: []
  }
  const locked = (folder: string, name: string, dev: boolean) => ({ folder, name, version: '1', licence: 'MIT', dev })
  const packages = [
    locked('node_modules/tool/node_modules/both', 'both', true),
    locked('node_modules/both', 'both', false),
    locked('node_modules/shown', 'shown', true),
    locked('node_modules/tool', 'tool', true),
    locked('node_modules/extra', 'extra', false)
  ]
  const made = completed(sbom, { name: 'service', version: '2' }, { packages, dashboard: new Set(['node_modules/shown']), archives: [] })
  t.same(
    made.components.map((one) => [one.name, partOf(one), one.scope]),
    [
      ['both', 'roles', 'required'],
      ['shown', 'dashboard', 'required'],
      ['tool', 'tools', 'excluded'],
      ['extra', 'roles', 'optional']
    ]
  )
  t.match(made.metadata.component, { name: 'service', version: '2', type: 'application' })
  t.throws(
    () => completed(sbom, { name: 'service', version: '2' }, { packages: [], dashboard: new Set(), archives: [] }),
    /is in the answer of npm sbom, and not in package-lock/
  )
})
