/**
 * Generates the index files of channels and apps from the files in services/channels/kinds and
 * services/channels/apps.
 */

/**
 * Returns the text of services/channels/kinds/index.ts. Each file is named after its kind and
 * exports `channel`.
 */
export function toChannelsIndex(files: readonly string[]): string {
  const kinds = files
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { ChannelKind, MethodKind } from '../../../schemas/http/notification-words.ts'",
    "import type { Channel } from '../channel.ts'",
    ...kinds.map((kind) => `import { channel as ${kind} } from './${kind}.ts'`),
    '',
    '/** Every kind that is built. */',
    kinds.length === 0
      ? 'export const channels: Readonly<Partial<Record<ChannelKind | MethodKind, Channel>>> = {}'
      : `export const channels: Readonly<Partial<Record<ChannelKind | MethodKind, Channel>>> = {\n${kinds.map((kind) => `  ${kind}`).join(',\n')}\n}`,
    ''
  ].join('\n')
}

/**
 * Returns the text of services/channels/apps/index.ts. Each file is named after its kind and
 * exports `app`.
 */
export function toAppsIndex(files: readonly string[]): string {
  const kinds = files
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
  const listed =
    kinds.length === 1 ? `{ ${kinds.join()} }` : kinds.length === 0 ? '{}' : `{\n${kinds.map((kind) => `  ${kind}`).join(',\n')}\n}`
  return [
    "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
    "import type { ChannelKind } from '../../../schemas/http/notification-words.ts'",
    "import type { ChatApp } from '../install.ts'",
    ...kinds.map((kind) => `import { app as ${kind} } from './${kind}.ts'`),
    '',
    '/** Every app that people can add at a chat service. */',
    `export const apps: Readonly<Partial<Record<ChannelKind, ChatApp>>> = ${listed}`,
    ''
  ].join('\n')
}
