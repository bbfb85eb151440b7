/**
 * Builds the settings that a channel gets for a person's method, in place of the settings of a
 * workspace.
 */
import { openForTenant, type Place } from '../credentials/sealing.ts'
import type { PersonTarget } from '../store/delivery-targets.ts'

/** The place to which the sealed token of a device belongs. */
export const devicePlace = (tenant_id: string, device_id: string): Place => ({
  tenant_id,
  resource: `device:${device_id}`,
  field: 'push_token'
})

/**
 * Returns an address of a person in the spellings in which a provider may repeat it. Only the
 * person, owners and admins may read it, so it is cut out of what is stored of an attempt. The name
 * of a phone is no address.
 */
export function addressForms(kind: string, address: string): string[] {
  if (kind === 'sms' || kind === 'voice') return [address, address.replace(/^\+/, '')]
  if (kind === 'email') return [address, address.toLowerCase()]
  if (kind === 'slack_dm') return [address, address.slice(address.indexOf(':') + 1)]
  return kind === 'telegram' ? [address] : []
}

/** Adds the address and the secrets of the settings to `secrets`. Throws Unsealable. */
export function methodConfig(
  secretsKey: string,
  tenant_id: string,
  method_id: string,
  { kind, address, device, app }: PersonTarget,
  secrets: string[]
): Record<string, unknown> {
  secrets.push(...addressForms(kind, address))
  // The operator's bot writes to the person in private: the address is the number of that chat.
  if (kind === 'telegram') return { chat_id: address }
  if (kind === 'slack_dm') {
    if (!app) return { address }
    const bot_token = openForTenant(secretsKey, { tenant_id, resource: `channel:${app.channel_id}`, field: 'bot_token' }, app.bot_token)
    secrets.push(bot_token)
    return { address, bot_token }
  }
  if (!device) return { [kind === 'email' ? 'recipient' : 'number']: address }
  const { platform, registered_at } = device
  const push_token = openForTenant(secretsKey, devicePlace(tenant_id, method_id), device.push_token)
  secrets.push(push_token)
  return { name: address, platform, push_token, registered_at }
}
