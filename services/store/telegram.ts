/**
 * Bots of workspaces at Telegram that call the service.
 * Source: docs/design/outbound-channels.md#s4-3.
 */
import type { Tx } from './pool.ts'

export interface BotRow {
  bot_id: string
  /** Without @. */
  username: string
}

/** A channel, and its bot token as it is stored. */
export interface TokenOfChannel {
  channel_id: string
  token: string
}

/** SQL: the channel $2, while it is there and has the token $3. */
const STILL = "tenant_id = $1 AND channel_id = $2 AND deleted_at IS NULL AND config ->> 'bot_token' = $3"

/**
 * Stores the bot, and that the channel uses it, so that nobody ends it while it is set up. Returns
 * the end of the address at which it is called: the one that it has, or else `hook_id`. Returns
 * null when the channel is gone, or has another token by now. The workspace must be locked.
 */
export async function keepBot(
  tx: Tx,
  tenant_id: string,
  { channel_id, token }: TokenOfChannel,
  { bot_id, username }: BotRow,
  hook_id: string
): Promise<string | null> {
  const { rowCount } = await tx.query(
    `UPDATE notification_channels SET config = (config - 'bot_name') || jsonb_build_object('bot_id', $4::text) WHERE ${STILL}`,
    [tenant_id, channel_id, token, bot_id]
  )
  if ((rowCount ?? 0) === 0) return null
  const { rows } = await tx.query<{ hook_id: string }>(
    `INSERT INTO telegram_bots (tenant_id, bot_id, hook_id, username) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, bot_id) DO UPDATE SET username = excluded.username RETURNING hook_id`,
    [tenant_id, bot_id, hook_id, username]
  )
  return rows[0]?.hook_id ?? hook_id
}

/** Returns the bot that is called at this address, with its workspace; null when there is none. */
export async function botOfHook(tx: Tx, hook_id: string): Promise<(BotRow & { tenant_id: string }) | null> {
  const { rows } = await tx.query<BotRow & { tenant_id: string }>('SELECT tenant_id, bot_id, username FROM telegram_bot_of($1)', [hook_id])
  return rows[0] ?? null
}

export async function hasBot(tx: Tx, tenant_id: string, bot_id: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT FROM telegram_bots WHERE tenant_id = $1 AND bot_id = $2) AS found',
    [tenant_id, bot_id]
  )
  return rows[0]?.found ?? false
}

/** Returns the end of the address at which the bot is called; null when no channel uses it. */
export async function hookOfBot(tx: Tx, tenant_id: string, bot_id: string): Promise<string | null> {
  const { rows } = await tx.query<{ hook_id: string }>('SELECT hook_id FROM telegram_bots WHERE tenant_id = $1 AND bot_id = $2', [
    tenant_id,
    bot_id
  ])
  return rows[0]?.hook_id ?? null
}

/** What the service stores about the bot of a channel, beside what people have set. */
export type BotNote = { bot_id: string; bot_name: string } | { bot_fault: string }

/** Returns false when the channel is gone, or has another token by now. */
export async function noteBot(tx: Tx, tenant_id: string, { channel_id, token }: TokenOfChannel, note: BotNote): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE notification_channels SET config = (config - 'bot_id' - 'bot_name' - 'bot_fault') || $4::jsonb WHERE ${STILL}`,
    [tenant_id, channel_id, token, JSON.stringify(note)]
  )
  return (rowCount ?? 0) > 0
}

/**
 * Deletes the bots that no channel uses, and returns their ids. Needs sight of all teams. The
 * workspace must be locked before, or a channel that begins to use a bot now is not seen.
 */
export async function endUnusedBots(tx: Tx, tenant_id: string): Promise<string[]> {
  const { rows } = await tx.query<{ bot_id: string }>(
    `DELETE FROM telegram_bots b WHERE b.tenant_id = $1 AND NOT EXISTS (
       SELECT FROM notification_channels c WHERE c.tenant_id = $1 AND c.kind = 'telegram' AND c.deleted_at IS NULL
          AND c.config ->> 'bot_id' = b.bot_id) RETURNING bot_id`,
    [tenant_id]
  )
  return rows.map(({ bot_id }) => bot_id)
}

/**
 * Moves the bot's channels to the new id of a group, after the group got another id. Returns the
 * ids of the channels. Needs sight of all teams.
 */
export async function moveChat(
  tx: Tx,
  tenant_id: string,
  { bot_id, from, to }: { bot_id: string; from: string; to: string }
): Promise<string[]> {
  const { rows } = await tx.query<{ channel_id: string }>(
    `UPDATE notification_channels SET config = jsonb_set(config, '{chat_id}', to_jsonb($4::text)), ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND kind = 'telegram' AND deleted_at IS NULL AND config ->> 'bot_id' = $2 AND config ->> 'chat_id' = $3
      RETURNING channel_id`,
    [tenant_id, bot_id, from, to]
  )
  return rows.map(({ channel_id }) => channel_id)
}

/**
 * Sets the group of a channel of the bot. Returns null when there is no such channel. `before`: its
 * chat so far.
 */
export async function chooseChat(
  tx: Tx,
  tenant_id: string,
  { channel_id, bot_id, chat_id }: { channel_id: string; bot_id: string; chat_id: string }
): Promise<{ name: string; before: string | null } | null> {
  const { rows } = await tx.query<{ name: string; before: string | null }>(
    `UPDATE notification_channels c
        SET config = (c.config - 'message_thread_id') || jsonb_build_object('chat_id', $4::text), ver = c.ver + 1, updated_at = now()
       FROM (SELECT channel_id, config ->> 'chat_id' AS before FROM notification_channels
              WHERE tenant_id = $1 AND channel_id = $2 AND kind = 'telegram' AND deleted_at IS NULL AND config ->> 'bot_id' = $3 FOR UPDATE) b
      WHERE c.tenant_id = $1 AND c.channel_id = b.channel_id RETURNING c.name, b.before`,
    [tenant_id, channel_id, bot_id, chat_id]
  )
  return rows[0] ?? null
}

/** Lists the bots that take commands, of channels that the caller sees. */
export async function listBots(tx: Tx, tenant_id: string): Promise<BotRow[]> {
  const { rows } = await tx.query<BotRow>(
    `SELECT DISTINCT config ->> 'bot_name' AS username, config ->> 'bot_id' AS bot_id FROM notification_channels
      WHERE tenant_id = $1 AND kind = 'telegram' AND deleted_at IS NULL AND config ? 'bot_name' ORDER BY 1 LIMIT 20`,
    [tenant_id]
  )
  return rows
}
