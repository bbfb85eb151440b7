/** What a template is for, in words. */
import { useQuery } from '@tanstack/react-query'
import { channelKindsQuery } from '../../api/channels.ts'
import { templatesText } from '../../texts/templates.ts'

/** Returns the channel kinds, and a function that names a kind within a sentence. */
export function useKinds(): { kinds: readonly { kind: string; name: string }[]; nameOf: (kind: string | null) => string } {
  const kinds = useQuery(channelKindsQuery).data?.items ?? []
  return {
    kinds,
    nameOf: (kind) => (kind === null ? templatesText('kind.any_within') : (kinds.find((one) => one.kind === kind)?.name ?? kind))
  }
}
