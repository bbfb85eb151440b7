/**
 * Checks the addresses of people before they are stored, and whether this deployment can send to
 * them at all.
 * Source: docs/design/api/notifications.md#s8-4.
 */
import type { Platform } from '../../../schemas/http/devices.ts'
import type { ChannelKind, MethodKind } from '../../../schemas/http/notification-words.ts'
import { channels } from '../../channels/kinds/index.ts'
import type { Config } from '../../process/config.ts'
import { ApiError, invalid } from '../http/errors.ts'

/** Whether this deployment can use a kind: some kinds need an account of the operator. */
export const isSetUp = ({ twilioAccountSid }: Pick<Config, 'twilioAccountSid'>, kind: ChannelKind | MethodKind): boolean =>
  (kind !== 'sms' && kind !== 'voice') || twilioAccountSid !== ''

/** Throws VALIDATION_FAILED for a kind that this deployment cannot send by. */
export function checkSetUp(config: Pick<Config, 'twilioAccountSid'>, kind: ChannelKind | MethodKind, path: string): void {
  if (!isSetUp(config, kind))
    throw invalid(path, 'not_set_up', 'is not set up here: the operator of this service must enter an account for text messages and calls')
}

/** Throws VALIDATION_FAILED for phones to which this deployment cannot send. */
export function checkPlatform({ fcmServiceAccount, apnsKey }: Pick<Config, 'fcmServiceAccount' | 'apnsKey'>, platform: Platform): void {
  if ((platform === 'ios' ? apnsKey : fcmServiceAccount) !== '') return
  const vendor = platform === 'ios' ? 'Apple' : 'Google'
  throw invalid('platform', 'not_set_up', `is not set up here: the operator of this service must enter an account of ${vendor}`)
}

/** Returns the address as it is stored. Throws VALIDATION_FAILED. */
export function checkedAddress(kind: 'email' | 'sms' | 'voice', address: string, path: string): string {
  const field = kind === 'email' ? 'recipient' : 'number'
  const channel = channels[kind]
  const config = { [field]: address.trim() }
  const normal = channel?.normalise?.(config) ?? config
  const fault = channel?.check?.(normal)
  if (fault) throw invalid(path, 'format', fault.message)
  return String(normal[field])
}

/** Throws UNAVAILABLE. */
export function checkKeepsSecrets(secretsKey: string): void {
  if (secretsKey === '') throw new ApiError('UNAVAILABLE', 'This service cannot store secrets. Its operator must set SERVICE_SECRETS_KEY')
}
