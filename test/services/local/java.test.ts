/** Which Java and Maven the local stack chooses, on folders that look like machines. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t from 'tap'
import { compareVersions, findJava, findMaven, Missing } from '../../../services/local/java.ts'

function executable(file: string): void {
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o755)
}

/** Makes a folder that looks like a JVM of that version. */
function jvm(home: string, version: string): string {
  mkdirSync(join(home, 'bin'), { recursive: true })
  executable(join(home, 'bin/java'))
  writeFileSync(join(home, 'release'), `IMPLEMENTOR="Somebody"\nJAVA_VERSION="${version}"\n`)
  return home
}

interface Machine {
  java_home?: string
  /** Version of the JVM whose bin is on PATH, through a link as Debian makes it. */
  path?: string
  /** Versions under /usr/lib/jvm. */
  installed?: string[]
}

//  a case                                                machine                                                            finds
const cases: [string, Machine, string | null][] = [
  ['one JVM, on PATH', { path: '21.0.2' }, 'path'],
  ['one JVM, beside PATH', { installed: ['25.0.3'] }, 'jvm-0'],
  ['an old one on PATH and a new one beside it', { path: '17.0.15', installed: ['17.0.15', '25.0.3'] }, 'jvm-1'],
  ['an old JAVA_HOME and a new one on PATH', { java_home: '11.0.1', path: '21.0.2' }, 'path'],
  ['a new JAVA_HOME before an older one elsewhere', { java_home: '25', installed: ['21.0.9'] }, 'home'],
  ['equal ones: JAVA_HOME first', { java_home: '21.0.2', path: '21.0.2', installed: ['21.0.2'] }, 'home'],
  ['equal ones: PATH before /usr/lib/jvm', { path: '21.0.2', installed: ['21.0.2'] }, 'path'],
  ['versions are numbers, not text', { installed: ['9.0.4', '21.0.10', '21.0.9'] }, 'jvm-1'],
  ['only an old one', { path: '17.0.15', installed: ['1.8.0_392'] }, null],
  ['none', {}, null]
]

for (const [name, { java_home, path, installed = [] }, found] of cases) {
  t.test(name, async (t) => {
    const root = t.testdir({ jvms: {}, bin: {}, other: {} })
    const environment: NodeJS.ProcessEnv = { PATH: [join(root, 'absent'), join(root, 'bin')].join(delimiter) }
    if (java_home) environment.JAVA_HOME = jvm(join(root, 'home'), java_home)
    if (path) symlinkSync(join(jvm(join(root, 'other/path'), path), 'bin/java'), join(root, 'bin/java'))
    for (const [index, version] of installed.entries()) jvm(join(root, 'jvms', `jvm-${index}`), version)
    if (found === null) {
      t.throws(() => findJava(environment, join(root, 'jvms')), { name: 'Missing' })
      return
    }
    t.equal(findJava(environment, join(root, 'jvms')).home.split('/').at(-1), found)
  })
}

t.test('a missing Java or Maven is reported with what to install or set instead', async (t) => {
  const root = t.testdir({ jvms: {}, bin: {} })
  jvm(join(root, 'jvms/old'), '17.0.15')
  const wanted =
    /Java 21 or newer .* 17\.0\.15 in .*old: install .*apt-get install openjdk-21.*dnf install.*brew install openjdk.* JAVA_HOME .* SERVICE_KAFKA_BROKERS and SERVICE_SCHEMA_REGISTRY_URL/
  t.throws(() => findJava({}, join(root, 'jvms')), { message: wanted })
  t.throws(() => findJava({}, join(root, 'bin')), { message: /none was found in JAVA_HOME, on PATH or in / })
  t.throws(() => findMaven({ PATH: join(root, 'bin') }), {
    message: /^Maven is needed once.*apt-get install maven.*dnf install maven.*brew install maven.*SERVICE_KAFKA_BROKERS/
  })
  t.ok(new Missing('x') instanceof Error)
})

t.test('a folder that only looks like a JVM is skipped', async (t) => {
  const root = t.testdir({
    jvms: { notes: { release: 'JAVA_VERSION="30"\n' }, half: { bin: { java: 'text, not a program' }, release: 'JAVA_VERSION="29"\n' } }
  })
  jvm(join(root, 'jvms/real'), '21.0.2')
  t.equal(findJava({}, join(root, 'jvms')).version, '21.0.2')
})

t.test('Maven is taken from MAVEN_HOME before PATH', async (t) => {
  const root = t.testdir({ home: { bin: {} }, bin: {} })
  executable(join(root, 'bin/mvn'))
  t.equal(findMaven({ PATH: join(root, 'bin') }), join(root, 'bin/mvn'))
  t.equal(findMaven({ PATH: join(root, 'bin'), MAVEN_HOME: join(root, 'home') }), join(root, 'bin/mvn'), 'an empty home does not count')
  executable(join(root, 'home/bin/mvn'))
  t.equal(findMaven({ PATH: join(root, 'bin'), MAVEN_HOME: join(root, 'home') }), join(root, 'home/bin/mvn'))
})

t.test('versions are compared by their numbers', async (t) => {
  t.ok(compareVersions('9', '11') < 0)
  t.ok(compareVersions('1.8.0_392', '11.0.1') < 0)
  t.ok(compareVersions('25.0.3', '25.0.10') < 0)
  t.equal(compareVersions('21', '21.0.0'), 0)
})
