/** Simulates Discord for the dashboard's stories, with one server and one channel. */
import { APP, type DiscordChannel, type DiscordWorld, discordWorld } from '../channels/discord-web.ts'
import { type ChatPage, openChatPage } from './chat-page.ts'

export interface DiscordPage extends ChatPage {
  discord: DiscordWorld
  room: DiscordChannel
}

/** Environment variables of a service that uses this app. */
export const discordEnvironment = {
  SERVICE_DISCORD_APPLICATION_ID: APP.client_id,
  SERVICE_DISCORD_CLIENT_SECRET: APP.client_secret,
  SERVICE_DISCORD_BOT_TOKEN: APP.bot_token
}

export async function openDiscord(port: number): Promise<DiscordPage> {
  const discord = discordWorld()
  const room = discord.channel(discord.guild('Acme Games'), 'alerts')
  const page = await openChatPage({
    port,
    vendor: discord.vendor,
    authorize: '/oauth2/authorize',
    chosen: (code, redirect_uri) => discord.codes.set(code, { channel: room.id, installer: '4242', redirect_uri })
  })
  return Object.assign(page, { discord, room })
}
