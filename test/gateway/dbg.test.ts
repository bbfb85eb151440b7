import t from 'tap'
import { gatewayStack } from './stack.ts'
const R = (s: string) => { t.test(s, async (t) => {
  const { connect, workspace, send, metric, gateway } = await gatewayStack(t)
  const acme = await workspace(); const other = await workspace()
  const cs: any[] = []
  for (let i = 0; i < 6; i++) { const c = await connect(`?token=${(await acme.member('owner')).token}`); c.closed.then((x) => console.error('CLOSED', i, x, Date.now() % 100000)); cs.push(c) }
  const S: any[] = []; const APP = {numSubscribers() {}, publish() {}} as any
  const see = (w: string) => console.error(s, w, cs.map((c) => c.frames.length), S.map((x: any) => x.getBufferedAmount()), APP.numSubscribers('t/' + acme.tenant_id + '/monitors.status'), S.map((x: any) => x.isSubscribed('t/' + acme.tenant_id + '/monitors.status')))
  console.error('SIZE', gateway.sockets(), gateway.port, 'SEND at', Date.now() % 100000); await send(acme.tenant_id, { type: 'incident.created', ver: 1 }); await new Promise((r) => setTimeout(r, 200)); see('kafka')
  for (const x of S) console.error('send', x.send('{"type":"direct"}')); await new Promise((r) => setTimeout(r, 200)); see('direct')
  APP.publish('t/' + acme.tenant_id + '/monitors.status', '{"type":"pub"}'); await new Promise((r) => setTimeout(r, 200)); see('publish')
}) }
for (const s of ['plain']) R(s)
