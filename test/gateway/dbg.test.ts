import t from 'tap'
import { gatewayStack } from './stack.ts'
t.test('dbg', async (t) => {
  const { connect, workspace, send, log, metric } = await gatewayStack(t)
  const acme = await workspace()
  const cs = []
  for (let i = 0; i < 4; i++) cs.push(await connect(`?token=${acme.token}`))
  for (let v = 1; v < 5; v++) { await send(acme.tenant_id, { type: 'incident.created', ver: v }); await new Promise((r) => setTimeout(r, 300)); console.error(v, cs.map((c) => c.frames.length), await metric('service_gateway_frames_total'), await metric('service_gateway_repeats_total')) }
  console.error(log.slice(-5))
})
