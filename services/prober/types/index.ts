// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { MonitorType } from '../../../schemas/http/check-types/index.ts'
import type { PUSHED } from '../../../schemas/http/check-words.ts'
import type { ProberType } from '../prober-type.ts'
import { type as api } from './api.ts'
import { type as dns } from './dns.ts'
import { type as domain } from './domain.ts'
import { type as grpc } from './grpc.ts'
import { type as http } from './http.ts'
import { type as icmp } from './icmp.ts'
import { type as imap } from './imap.ts'
import { type as pop3 } from './pop3.ts'
import { type as smtp } from './smtp.ts'
import { type as tcp } from './tcp.ts'
import { type as tls } from './tls.ts'
import { type as udp } from './udp.ts'
import { type as websocket } from './websocket.ts'

/** How each type is checked; one that is pushed is not. */
export const proberTypes: Readonly<Record<Exclude<MonitorType, typeof PUSHED>, ProberType>> = {
  api,
  dns,
  domain,
  grpc,
  http,
  icmp,
  imap,
  pop3,
  smtp,
  tcp,
  tls,
  udp,
  websocket
}
