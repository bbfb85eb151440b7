/**
 * The lint of migrations: a statement on rows lifts the row-level security of each table that it
 * names. Without this it finds no row where the owner of the database is no superuser, and says
 * nothing. The lint finds the faults planted for it, and the repeat of three faults works.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { transaction } from '../../services/store/pool.ts'
import { person } from '../services/api/people.ts'
import { stand } from '../services/api/stand.ts'

const DIR = join(projectRoot, 'schemas/postgres')
const textOf = (file: string): string => readFileSync(join(DIR, file), 'utf8')

/** Faults of the past. Migrations are never changed. */
const KNOWN = [
  '0031_alerts.sql: incidents', // 0238 repeats it.
  '0048_reaching_people.sql: contact_methods, members, users', // 0238 repeats it.
  // The foreign key that follows fails if a row is left.
  '0077_push_devices.sql: contact_methods, push_devices',
  '0183_sight_of_windows_now.sql: maintenance_windows' // 0238 repeats it.
]

/** Tables of a loop over an array, such as ARRAY['a', 'b'] LOOP … END LOOP, that turns it on. */
const ofLoops = (sql: string): string[] =>
  [...sql.matchAll(/ARRAY\[([^\]]*)\] LOOP(.*?)END LOOP/gs)].flatMap(([, names = '', body = '']) =>
    body.includes('FORCE ROW LEVEL SECURITY') ? [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name) : []
  )

/** Returns the statements, also those of DO blocks, without comments and bodies of functions. */
function statementsOf(sql: string): string[] {
  const plain = sql.replaceAll(/--[^\n]*/g, '').replaceAll(/\bAS (\$\w*\$).*?\1/gs, 'AS body')
  return plain
    .split(';')
    .map((one) => one.replace(/^(\s|DO \$\$|DECLARE|BEGIN|ELSE|IF .*? THEN|FOR \w+ IN(?= SELECT)|FOREACH .*? LOOP)*/s, ''))
}

/**
 * Returns a fault for each of these migrations, in order, that reads or changes rows of tables
 * whose row-level security binds the owner.
 */
function faultsOf(migrations: readonly (readonly [name: string, sql: string])[]): string[] {
  const bound = new Set<string>()
  return migrations.flatMap(([name, sql]) => {
    const met = new Set<string>()
    for (const statement of statementsOf(sql)) {
      const [, table, lifted] = /^ALTER TABLE (\w+) (NO )?FORCE ROW LEVEL SECURITY/.exec(statement) ?? []
      if (table && lifted) bound.delete(table)
      else if (table) bound.add(table)
      if (!/^(UPDATE|DELETE|INSERT|MERGE|WITH|SELECT|PERFORM)\b/.test(statement)) continue
      for (const [, named = ''] of statement.matchAll(/\b(?:UPDATE|FROM|JOIN|INTO|USING) (\w+)/g)) if (bound.has(named)) met.add(named)
    }
    for (const table of ofLoops(sql)) bound.add(table)
    return met.size > 0 ? [`${name}: ${[...met].sort().join(', ')}`] : []
  })
}

t.test('every migration that reads or changes rows lifts the row-level security of their tables', async (t) => {
  const files = readdirSync(DIR).filter((file) => file.endsWith('.sql'))
  t.same(faultsOf(files.sort().map((file) => [file, textOf(file)])), KNOWN)
})

t.test('the lint finds a planted fault', async (t) => {
  const on =
    "DO $$\nBEGIN\n  FOREACH name IN ARRAY ARRAY['a', 'b'] LOOP\n EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);\nEND LOOP;\nEND $$;"
  const lift = 'ALTER TABLE a NO FORCE ROW LEVEL SECURITY;'
  const cases: [sql: string, faults: string[]][] = [
    ['UPDATE a SET x = 1;', ['2: a']],
    ['-- Why.\nDELETE FROM a WHERE x;', ['2: a']],
    ['INSERT INTO c SELECT x FROM a JOIN b USING (x);', ['2: a, b']],
    ['DO $$\nBEGIN\n  IF true THEN\n    UPDATE b SET x = 1;\n  END IF;\nEND $$;', ['2: b']],
    ['DO $$\nBEGIN\n  FOR one IN SELECT x FROM a LOOP\n    PERFORM one;\n  END LOOP;\nEND $$;', ['2: a']],
    ['DO $$\nBEGIN\n  FOREACH one IN ARRAY ARRAY[1, 2] LOOP\n    UPDATE b SET x = one;\n  END LOOP;\nEND $$;', ['2: b']],
    [`${lift}\nUPDATE a SET x = 1;`, []],
    [`${lift}\nALTER TABLE a FORCE ROW LEVEL SECURITY;\nUPDATE a SET x = 1;`, ['2: a']],
    ['UPDATE c SET x = 1;', []],
    ['CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE a SET x = 1; $$;', []],
    ['CREATE TRIGGER f AFTER INSERT OR UPDATE ON a FOR EACH ROW EXECUTE FUNCTION f();\nGRANT SELECT, UPDATE ON a TO b;', []]
  ]
  for (const [sql, faults] of cases)
    t.same(
      faultsOf([
        ['1', on],
        ['2', sql]
      ]),
      faults,
      sql
    )
})

t.test('what migrations did not do for an owner that is no superuser is done, and nothing else', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('owner-repeat', 'pro')
  const [ada, ben, eve] = [
    await person(s, home, 'repeat-ada', 'responder'),
    await person(s, home, 'repeat-ben', 'responder'),
    await person(s, home, 'repeat-eve', 'responder')
  ]
  const ids = [ada, ben, eve].map(({ user_id }) => user_id)
  await s.ownerPool.query('DELETE FROM contact_methods WHERE user_id = ANY ($1)', [ids])
  await s.ownerPool.query("UPDATE members SET created_at = '2020-01-01' WHERE user_id = ANY ($1)", [[ada.user_id, ben.user_id]])
  await s.ownerPool.query(
    "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address) VALUES ($1, gen_random_uuid(), $2, 'sms', '+4915112345678')",
    [home.tenant_id, ben.user_id]
  )
  const starts_at = new Date(Date.now() + 3_600_000).toISOString()
  const ends_at = new Date(Date.now() + 7_200_000).toISOString()
  const body = { name: 'Move', scope: { all: true }, schedule: { kind: 'once', starts_at, ends_at } }
  const { id } = (await s.call(home, 'POST', '/api/v1/maintenance-windows', body)).json()
  await s.ownerPool.query('UPDATE maintenance_windows SET team_ids = ARRAY[gen_random_uuid()] WHERE window_id = $1', [id])
  const methods = async (): Promise<string[]> =>
    (
      await s.ownerPool.query<{ user_id: string; kind: string }>('SELECT user_id, kind FROM contact_methods WHERE user_id = ANY ($1)', [
        ids
      ])
    ).rows
      .map(({ user_id, kind }) => `${['ada', 'ben', 'eve'][ids.indexOf(user_id)]} ${kind}`)
      .sort()
  const teams = async (): Promise<number> =>
    (await s.ownerPool.query('SELECT cardinality(team_ids) AS count FROM maintenance_windows WHERE window_id = $1', [id])).rows[0].count

  const sql = textOf('0238_repeated_for_an_owner.sql')
  await s.ownerPool.query(sql)
  t.same([await methods(), await teams()], [['ben sms'], 1], 'a superuser has done it long ago')
  const tables = ['members', 'users', 'contact_methods', 'maintenance_windows', 'incidents']
  for (const table of [...tables, 'schema_migrations']) await s.ownerPool.query(`ALTER TABLE ${table} OWNER TO service_tenant`)
  for (let time = 0; time < 2; time++)
    await transaction(s.ownerPool, async (tx) => {
      await tx.query('SET LOCAL ROLE service_tenant')
      await tx.query(sql)
    })
  t.same([await methods(), await teams()], [['ada email', 'ben sms'], 0], 'Eve came later and has removed hers')
  const { rows } = await s.ownerPool.query('SELECT relname FROM pg_class WHERE relname = ANY ($1) AND relforcerowsecurity', [tables])
  t.equal(rows.length, tables.length, 'the policies hold again')
})
