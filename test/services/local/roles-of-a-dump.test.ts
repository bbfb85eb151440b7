/** The roles of the service on a server that gets a dump, with a server of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startPostgres } from '../../../services/local/postgres.ts'
import { migrateDatabase } from '../../../services/operator/migrate.ts'
import { createPool } from '../../../services/store/pool.ts'
import { createMissingRoles, serverReady } from '../../../services/store/server.ts'
import { engines, urlsOf } from '../../harness/engines.ts'
import { freePorts } from '../../harness/free-ports.ts'

/** What a role may do, and its settings. */
const ROLES = `SELECT r.rolname, r.rolcanlogin, r.rolbypassrls, r.rolsuper, r.rolcreaterole, array(SELECT unnest(s.setconfig) ORDER BY 1) AS settings
  FROM pg_roles r LEFT JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = 0
 WHERE r.rolname IN ('service_tenant', 'service_system') ORDER BY 1`

async function query(url: string, text: string) {
  const pool = createPool(url, { application_name: 'test', max: 1 })
  try {
    return (await pool.query(text)).rows
  } finally {
    await pool.end()
  }
}

t.test(
  'a database that was restored before its roles were created is refused, and they can be created as migrations create them',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'roles-of-a-dump-'))
    const [port = 0] = await freePorts(1)
    const server = await startPostgres({
      folder: join(folder, 'postgres'),
      port,
      password: 'owner',
      logFile: join(folder, 'log'),
      durable: false
    })
    t.teardown(async () => {
      await server.stop('SIGINT', 10_000)
      rmSync(folder, { recursive: true, force: true })
    })
    const urls = urlsOf(`postgres://service_owner:owner@127.0.0.1:${port}/postgres`, 'postgres')
    await serverReady(urls.ownerUrl, new AbortController().signal)
    await query(
      urls.ownerUrl,
      'CREATE TABLE schema_migrations (id serial PRIMARY KEY, name varchar(255) NOT NULL, run_on timestamp NOT NULL)'
    )
    await query(urls.ownerUrl, "INSERT INTO schema_migrations (name, run_on) VALUES ('0001_roles', now())")
    await t.rejects(migrateDatabase(urls), {
      message: /does not have service_tenant and service_system, .+ migrate --roles, then restore/
    })

    t.same(await createMissingRoles(urls.ownerUrl), ['service_tenant', 'service_system'])
    const { postgresUrl } = engines()
    t.same(await query(urls.ownerUrl, ROLES), await query(postgresUrl, ROLES))
    t.same(await createMissingRoles(urls.ownerUrl), [], 'a second run creates nothing')
  }
)
