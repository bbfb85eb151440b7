/**
 * Every package has an allowed licence, and the page that lists the licences matches the lockfile.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { faultsOf, licencesPage } from '../../../services/supply-chain/licences.ts'
import { readArchives, readLock } from '../../../services/supply-chain/lock.ts'

t.test('every package of the lockfile has an allowed licence, and the page is up to date', async (t) => {
  const [packages, archives] = [readLock(), readArchives()]
  t.ok(packages.length > 400 && archives.length > 40)
  t.same(faultsOf(packages, archives), [])
  t.equal(readFileSync(join(projectRoot, 'docs/licences.md'), 'utf8'), licencesPage(packages, archives), 'else run npm run licences')
})

t.test('a licence that is not allowed is reported', async (t) => {
  const of = (name: string, licence: string | null, dev = false) =>
    faultsOf([{ folder: `node_modules/${name}`, name, version: '1.0.0', licence, dev }], [])
  t.same(of('fine', 'MIT'), [])
  t.same(of('either', '(GPL-3.0 OR MIT)'), [], 'we choose')
  t.match(of('copyleft', 'GPL-3.0'), ['copyleft 1.0.0: GPL-3.0 is not allowed, and no reason is given for it'])
  t.match(of('both', 'MIT AND GPL-3.0'), [/is not allowed/])
  t.match(of('nothing', null), ['nothing 1.0.0 names no licence'])
  t.match(of('words', 'SEE LICENSE IN LICENSE'), [/is not allowed/])
  t.same(of('axe-core', 'MPL-2.0', true), [], 'by name, as a tool')
  t.match(of('axe-core', 'MPL-2.0', false), [/allowed for tools alone, and this is shipped/])
  t.match(of('other', 'MPL-2.0', true), [/is not allowed/], 'the reason is for one package')
  t.match(faultsOf([], [{ name: 'jar', licence: 'LGPL-3.0' }]), ['jar: LGPL-3.0 is not allowed'])
})
