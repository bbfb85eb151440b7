/**
 * What follows when a sender is linked to a member: an audit entry, and a way to reach the member.
 */
import { MAX_METHODS } from '../../../schemas/http/notification-preferences.ts'
import { botIdOf } from '../../channels/telegram-hook.ts'
import { type Actor, insertAudit } from '../../store/audit.ts'
import { addMethodOf, type Identity, type Sender } from '../../store/chat.ts'
import { countVersion } from '../../store/contact.ts'
import type { Tx } from '../../store/pool.ts'
import type { Services } from '../services.ts'

/** How the audit log names a sender. */
export const senderText = ({ vendor, account, sender }: Sender): string => `${vendor}:${account}:${sender}`

/**
 * Writes the audit entry. A member linked to the service's own bot also gets that bot as a contact
 * method.
 */
export async function noteLinked(
  tx: Tx,
  config: Services['config'],
  { tenant_id, user_id, actor }: { tenant_id: string; user_id: string; actor: Actor },
  made: Identity
): Promise<void> {
  const ownBot = botIdOf(config.telegramBotToken)
  if (made.vendor === 'telegram' && made.account === ownBot) {
    await countVersion(tx, tenant_id, user_id)
    await addMethodOf(tx, tenant_id, user_id, made, MAX_METHODS)
  }
  const diff = { sender: [null, senderText(made)] as [unknown, unknown] }
  await insertAudit(tx, tenant_id, actor, {
    action: 'chat_identity.linked',
    object_type: 'chat_identity',
    object_id: made.identity_id,
    diff
  })
}
