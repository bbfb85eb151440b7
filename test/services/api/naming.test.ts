/**
 * Tests that what names a team, a policy or a channel takes turns with its deletion: a use that is
 * not committed yet counts, and nothing is given to what is just being deleted.
 */
import t from 'tap'
import type { Tx } from '../../../services/store/pool.ts'
import { transaction } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand, type Workspace } from './stand.ts'
import { CHANNELS } from './telegramming.ts'

/**
 * Sends the request while another change of the workspace is under way. The change commits when the
 * request waits for it, or has been answered.
 */
async function beside(s: Stand, who: Workspace, change: (tx: Tx) => Promise<unknown>, request: () => ReturnType<Stand['call']>) {
  let isAnswered = false
  const answer = await transaction(s.systemPool, async (tx) => {
    await tx.query('SELECT FROM tenants WHERE tenant_id = $1 FOR NO KEY UPDATE', [who.tenant_id])
    await change(tx)
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const sent = request().finally(() => {
      isAnswered = true
    })
    await until('the request', async () => {
      const { rowCount } = await s.ownerPool.query('SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))', [
        rows[0]?.pid
      ])
      return isAnswered || (rowCount ?? 0) > 0
    })
    return { sent }
  })
  return answer.sent
}

t.test('a change that names what is just being deleted waits, and is refused', async (t) => {
  const s = await stand(t)
  const who = await s.workspace('naming', 'pro')
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await s.call(who, 'POST', path, body)
    if (answer.statusCode >= 300) throw new Error(answer.body)
    return answer.json().id
  }
  const monitor = await made('/api/v1/monitors', { name: 'shop', type: 'http', target: 'https://example.com/' })
  const heartbeat = await made('/api/v1/heartbeats', { name: 'backup', schedule: { kind: 'period', period_seconds: 60 } })
  const channel = await made(CHANNELS, { name: 'duty', kind: 'pagerduty', config: { integration_key: 'a'.repeat(32) } })
  const { incident_id } = await s.incident(who)
  const paths = [
    `/api/v1/monitors/${monitor}`,
    `/api/v1/heartbeats/${heartbeat}`,
    `/api/v1/integrations/inbound/${who.integration_id}`,
    `${CHANNELS}/${channel}`,
    `/api/v1/incidents/${incident_id}`
  ]
  const ending = (table: string, column: string, id: string) => (tx: Tx) =>
    tx.query(`UPDATE ${table} SET deleted_at = now() WHERE tenant_id = $1 AND ${column} = $2`, [who.tenant_id, id])
  const newTeam = () => made('/api/v1/teams', { name: 'Payments' })
  for (const path of paths) {
    const team_id = await newTeam()
    const answer = await beside(s, who, ending('teams', 'team_id', team_id), () => s.call(who, 'PATCH', path, { team_id }))
    t.match(answer.json(), { details: [{ rule: 'unknown_team' }] }, path)
  }
  const team_id = await newTeam()
  const many = () => s.call(who, 'POST', '/api/v1/monitors/bulk', { ids: [monitor], action: 'patch', patch: { team_id } })
  t.match((await beside(s, who, ending('teams', 'team_id', team_id), many)).json(), { matched: 1, failed: [{ id: monitor }] })

  const steps = [{ targets: [{ type: 'user', id: who.user_id }] }]
  for (const path of paths.slice(0, 3)) {
    const escalation_policy_id = await made('/api/v1/on-call/escalation-policies', { name: 'P', steps })
    const end = ending('escalation_policies', 'policy_id', escalation_policy_id)
    const answer = await beside(s, who, end, () => s.call(who, 'PATCH', path, { escalation_policy_id }))
    t.match(answer.json(), { details: [{ rule: 'unknown_policy' }] }, path)
  }

  const use = (tx: Tx) =>
    tx.query('UPDATE monitors SET channel_ids = ARRAY[$2::uuid] WHERE tenant_id = $1 AND monitor_id = $3', [
      who.tenant_id,
      channel,
      monitor
    ])
  const gone = await beside(s, who, use, () => s.call(who, 'DELETE', `${CHANNELS}/${channel}`))
  t.match([gone.statusCode, gone.json()], [409, { code: 'IN_USE' }])
})
