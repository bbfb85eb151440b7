/**
 * Sets up people with telephones, a notifier that uses a fake Twilio, and the callbacks of that
 * Twilio.
 */
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Teardown } from '../../harness/engines.ts'
import { ACCOUNT, AUTH_TOKEN, type FakeTwilio, FROM, fakeTwilio, type Sent, signatureOf, twilioSettings } from '../../harness/twilio.ts'
import { until } from '../../harness/until.ts'
import { deployment, isQuiet, notifier } from '../notifier/channels.ts'
import { asDefault, policy, step, user } from '../notifier/escalating.ts'
import { ORIGIN, type Stand, type StandOptions, stand, type Workspace } from './stand.ts'

export interface Phones {
  s: Stand
  fake: FakeTwilio
}

export async function phones(t: Teardown, options: StandOptions = {}): Promise<Phones> {
  const fake = await fakeTwilio(t)
  const s = await stand(t, { ...options, jobs: true, config: { ...twilioSettings, publicUrl: ORIGIN } })
  const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
  notifier(t, s, { deployment: { ...deployment, base_urls: { twilio: fake.url }, twilio } })
  return { s, fake }
}

/**
 * Gives a person a verified method. It replaces their other methods unless it is an additional one.
 */
export async function phone(
  s: Stand,
  { tenant_id }: Workspace,
  user_id: string,
  kind: 'sms' | 'voice' | 'email',
  address: string,
  further = false
) {
  const method_id = uuidv7()
  if (!further) await s.systemPool.query('DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2', [tenant_id, user_id])
  await s.systemPool.query(
    `INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at, position)
     VALUES ($1, $2, $3, $4, $5, now(), (SELECT count(*) FROM contact_methods WHERE tenant_id = $1 AND user_id = $3))`,
    [tenant_id, method_id, user_id, kind, address]
  )
  return method_id
}

/** Makes the incidents of the workspace page these people at once. */
export const asks = async (s: Stand, who: Workspace, ...user_ids: string[]): Promise<void> => {
  await asDefault(s, who, await policy(s, who, { steps: [step(user_ids.map((id) => user(id)))] }))
}

/** Waits for the next message or call to a number, starting at the `nth`. */
export const sentTo = (fake: FakeTwilio, to: string, nth = 0): Promise<Sent> =>
  until(`message ${nth + 1} to ${to}`, () => fake.sent.filter((one) => one.to === to)[nth] ?? null)

export const codeOf = ({ text }: Sent): string => /Reply ACK (\w+)$/.exec(text)?.[1] ?? ''

interface Calling {
  /** Replaces the correct one. */
  signature?: string | null
  token?: string
  body?: Record<string, string>
}

/** Calls the service as Twilio does. `url`: the address that Twilio was given, or a path. */
export function callBack({ s }: Phones, url: string, form: Record<string, string>, { signature, token, body }: Calling = {}) {
  const full = url.startsWith('/') ? `${ORIGIN}${url}` : url
  const fields = { AccountSid: ACCOUNT, ...form }
  const signed = signature === undefined ? signatureOf(full, fields, token) : signature
  return s.app.inject({
    method: 'POST',
    url: full.slice(ORIGIN.length),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(signed !== null && { 'x-twilio-signature': signed }) },
    payload: new URLSearchParams(body ?? fields).toString()
  })
}

let nth = 0
export const aSid = (kind: 'SM' | 'CA' = 'SM'): string => `${kind}f${String(++nth).padStart(31, '0')}`

/** Sends a text message as a person does. Returns the reply, or null if there is none. */
export async function text(p: Phones, from: string, body: string, sid = aSid()): Promise<string | null> {
  const answer = await callBack(p, '/api/v1/callbacks/twilio/sms', { From: from, To: FROM, Body: body, MessageSid: sid })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return /^<Response><Message>(.*)<\/Message><\/Response>$/.exec(answer.body)?.[1] ?? null
}

export { isQuiet, until }
