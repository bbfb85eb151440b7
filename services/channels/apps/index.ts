// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import type { ChatApp } from '../install.ts'
import { app as discord } from './discord.ts'
import { app as slack } from './slack.ts'

/** Every app that people can add at a chat service. */
export const apps: Readonly<Partial<Record<ChannelKind, ChatApp>>> = {
  discord,
  slack
}
