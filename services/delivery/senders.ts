/**
 * Builds the senders of a process from its configuration: for the notifier, and for Send test in
 * the api.
 */

import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import type { Deployment } from '../channels/channel.ts'
import { createAddressGuard } from '../http/address-guard.ts'
import { createResolver } from '../http/resolve.ts'
import type { Config } from '../process/config.ts'
import { serviceAccountOf } from '../process/push-accounts.ts'
import { version } from '../process/version.ts'
import { keepMail } from '../store/mailbox.ts'
import { type Pool, tenantTransaction } from '../store/pool.ts'
import { createHttpSender } from './http.ts'
import { createMailbox, createSmtpSender } from './mail.ts'
import type { Senders } from './perform.ts'

type Needed = Pick<
  Config,
  | 'channelAllowCidrs'
  | 'smtpUrl'
  | 'mailFrom'
  | 'mailbox'
  | 'outboundBaseUrls'
  | 'publicUrl'
  | 'twilioAccountSid'
  | 'twilioAuthTokens'
  | 'twilioApiKey'
  | 'twilioFrom'
  | 'twilioMessagingService'
  | 'telegramBotToken'
  | 'telegramBotName'
  | 'fcmServiceAccount'
  | 'apnsKey'
  | 'apnsKeyId'
  | 'apnsTeamId'
  | 'apnsTopic'
  | 'apnsEnvironment'
  | 'slackClientId'
  | 'slackClientSecret'
  | 'discordApplicationId'
  | 'discordBotToken'
  | 'discordClientSecret'
>

/** Returns null when the operator has set no account. */
const twilioOf = (config: Needed): Deployment['twilio'] =>
  config.twilioAccountSid === ''
    ? null
    : {
        account_sid: config.twilioAccountSid,
        credential: config.twilioApiKey === '' ? `${config.twilioAccountSid}:${config.twilioAuthTokens[0] ?? ''}` : config.twilioApiKey,
        from: config.twilioFrom,
        messaging_service_sid: config.twilioMessagingService === '' ? null : config.twilioMessagingService
      }

const apnsOf = ({ apnsKey, apnsKeyId, apnsTeamId, apnsTopic, apnsEnvironment }: Needed): Deployment['apns'] =>
  apnsKey === ''
    ? null
    : { team_id: apnsTeamId, key_id: apnsKeyId, private_key: apnsKey, topic: apnsTopic, sandbox: apnsEnvironment === 'sandbox' }

/** Without the secret the application answers commands, but nobody can add it through a channel. */
const discordOf = ({ discordApplicationId, discordClientSecret, discordBotToken }: Needed): Deployment['discord'] =>
  discordApplicationId === '' || discordClientSecret === ''
    ? null
    : { client_id: discordApplicationId, client_secret: discordClientSecret, bot_token: discordBotToken }

export const deploymentOf = (config: Needed): Deployment => ({
  product: 'Service',
  user_agent: `Service/${version} (+${config.publicUrl})`,
  api_url: config.publicUrl,
  mail_domain: /@([^>\s]+)/.exec(config.mailFrom)?.[1] ?? 'service.invalid',
  base_urls: JSON.parse(config.outboundBaseUrls) as Record<string, string>,
  twilio: twilioOf(config),
  telegram: config.telegramBotToken === '' ? null : { bot_token: config.telegramBotToken, username: config.telegramBotName },
  fcm: serviceAccountOf(config.fcmServiceAccount),
  apns: apnsOf(config),
  slack: config.slackClientId === '' ? null : { client_id: config.slackClientId, client_secret: config.slackClientSecret },
  discord: discordOf(config)
})

/**
 * Returns what happens to mails: a server sends them, the mailbox of a local run keeps them, or
 * neither.
 */
export const mailFate = ({ smtpUrl, mailbox }: Pick<Config, 'smtpUrl' | 'mailbox'>): 'sent' | 'kept' | 'none' =>
  smtpUrl !== '' ? 'sent' : mailbox === 'on' ? 'kept' : 'none'

/** `pool` stores the mails of a local run. */
export function sendersOf(config: Needed, pool: Pool): Senders & { close(): void } {
  const { channelAllowCidrs, smtpUrl, mailFrom } = config
  const guard = createAddressGuard({ open: channelAllowCidrs, closed: [], own: [] })
  const http = createHttpSender({ guard, resolve: createResolver(), allowHttp: channelAllowCidrs.length > 0 })
  const smtp = smtpUrl === '' ? null : createSmtpSender(smtpUrl, mailFrom)
  const kept =
    mailFate(config) === 'kept'
      ? createMailbox(mailFrom, (tenant_id, mail) =>
          tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => keepMail(tx, tenant_id, mail))
        )
      : null
  return {
    http,
    mail: smtp ?? kept,
    close() {
      http.close()
      smtp?.close()
    }
  }
}
