/**
 * Tests of every type of check against real targets (types/): up, degraded, and each reason for
 * failure. The table in the documents lists what this test runs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { monitorTypes } from '../../../schemas/http/check-types/index.ts'
import { attempt, pool } from './stand.ts'
import { given } from './types/cases.ts'
import { CHECKS_PAGE, casesOf, type Ran, tableOf } from './types-table.ts'

t.setTimeout(120_000)
t.teardown(() => pool.close())

const ran: Ran[] = []

for (const type of monitorTypes) {
  t.test(type, async (t) => {
    const found = await casesOf(type)
    if (!found) return t.comment('check-http.test.ts has the cases of this type')
    const cases = await found.cases(t)
    ran.push({ type, against: found.against, cases })
    await Promise.all(
      cases.map(async ({ what, gives, monitor, network, facts, shows, holds }) => {
        const report = await attempt(monitor, network, facts)
        t.equal(given(report), gives, `${what}: ${report.message ?? 'no message'}`)
        if (shows !== undefined) t.match(report, shows as Record<string, unknown>, what)
        if (holds) t.equal(holds(report), null, what)
        t.notMatch(JSON.stringify({ ...report, body: null }), /hunter2/, `${what}: nothing of the answer or of a secret`)
      })
    )
  })
}

t.test('the table in the documents lists every type of check and its outcomes', async (t) => {
  const page = readFileSync(join(projectRoot, CHECKS_PAGE), 'utf8')
  t.ok(page.includes(tableOf(ran)), `npm run checks -- --write writes this:\n${tableOf(ran)}`)
})
