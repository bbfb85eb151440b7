/**
 * Shared by the jobs that talk to a chat service: the app of the service, and the channel settings
 * with their secrets.
 */
import { apps } from '../channels/apps/index.ts'
import { mapSecrets } from '../channels/config.ts'
import { channels } from '../channels/kinds/index.ts'
import { openForTenant } from '../credentials/sealing.ts'
import type { HttpLimits } from '../delivery/http.ts'
import type { RoomChannel } from '../store/war-rooms.ts'
import type { Post } from './job.ts'

/** Limits of one request, short enough that several requests fit into the lease of a job. */
export const CHAT_LIMITS: HttpLimits = { connectMs: 3000, totalMs: 5000 }

export const channelOf = (kind: string) => Object.values(channels).find((channel) => channel.kind === kind)

export const appOf = (kind: string) => Object.values(apps).find((app) => app.kind === kind)

/** Returns the configuration of a channel with its secrets. */
export function openedConfig(
  { secretsKey }: Post,
  tenant_id: string,
  { channel_id, kind, config }: Omit<RoomChannel, 'works'>
): Record<string, unknown> {
  const channel = channelOf(kind)
  if (!channel) return config
  return mapSecrets(channel, config, (sealed, field) =>
    openForTenant(secretsKey, { tenant_id, resource: `channel:${channel_id}`, field }, sealed)
  )
}
