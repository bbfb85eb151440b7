// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { CheckType } from '../check-type.ts'
import { checkType as api } from './api.ts'
import { checkType as dns } from './dns.ts'
import { checkType as domain } from './domain.ts'
import { checkType as external } from './external.ts'
import { checkType as grpc } from './grpc.ts'
import { checkType as http } from './http.ts'
import { checkType as icmp } from './icmp.ts'
import { checkType as imap } from './imap.ts'
import { checkType as pop3 } from './pop3.ts'
import { checkType as smtp } from './smtp.ts'
import { checkType as tcp } from './tcp.ts'
import { checkType as tls } from './tls.ts'
import { checkType as udp } from './udp.ts'
import { checkType as websocket } from './websocket.ts'

/** The types that this version checks. */
export const monitorTypes = [
  'api',
  'dns',
  'domain',
  'external',
  'grpc',
  'http',
  'icmp',
  'imap',
  'pop3',
  'smtp',
  'tcp',
  'tls',
  'udp',
  'websocket'
] as const
export type MonitorType = (typeof monitorTypes)[number]

export const checkTypes: Readonly<Record<MonitorType, CheckType>> = {
  api,
  dns,
  domain,
  external,
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
