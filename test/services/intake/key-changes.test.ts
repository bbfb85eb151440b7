/** Tests of the times since which keys are made in another way, as Postgres stores them. */
import { pino } from 'pino'
import t from 'tap'
import { receiver } from '../../../services/intake/doors/native.ts'
import { createFormerKeys, FORMER_KEYS_MS, LABEL_NAMES } from '../../../services/intake/former-keys.ts'
import type { Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { createPool } from '../../../services/store/pool.ts'
import { database } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'

t.test('each key change is recorded by its migration and ends by itself', async (t) => {
  const { tenantUrl, ownerUrl } = await database(t)
  const pool = createPool(tenantUrl, { application_name: 'test', max: 1 })
  t.teardown(() => pool.end())
  const declared = [LABEL_NAMES, ...Object.values<Source>({ ...sources, receiver }).flatMap(({ key_change }) => key_change ?? [])]
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM key_changes')
  t.same(
    declared.filter((name) => !rows.some((row) => row.name === name)),
    [],
    'every declared change is in key_changes'
  )

  const warned: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) })
  const early = createFormerKeys({ pool, log, everyMs: 10, now: () => Date.now() + 100 * FORMER_KEYS_MS })
  t.teardown(early.close)
  const owner = createPool(ownerUrl, { application_name: 'test', max: 1 })
  t.teardown(() => owner.end())
  await owner.query("UPDATE key_changes SET since = now() - interval '8 days' WHERE name = 'statuscake'")
  const late = createFormerKeys({ pool, log, everyMs: 10 })
  t.teardown(late.close)
  await until('its time to be over', () => !late.tries('statuscake'))
  t.equal(late.tries('datadog'), true, 'each by itself')
  t.equal(early.tries('datadog'), true, 'one clock alone does not end it')
  t.same(warned, [])
})
