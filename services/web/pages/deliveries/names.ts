/** The names of the ways in which people are notified. */
import { useQuery } from '@tanstack/react-query'
import { channelKindsQuery } from '../../api/channels.ts'
import type { LedgerItem } from '../../api/shapes.ts'
import { deliveriesText } from '../../texts/deliveries.ts'

/** Ways to reach a person that are not kinds of channels. */
export const personalKinds = ['push', 'telegram', 'slack_dm'] as const

export function useKinds(): { kinds: readonly { kind: string; name: string }[]; kindOf: (item: Pick<LedgerItem, 'kind'>) => string } {
  const { data } = useQuery(channelKindsQuery)
  const own = personalKinds.map((kind) => ({ kind: kind as string, name: deliveriesText(`kind.${kind}`) }))
  const channels = data?.items.map(({ kind, name }) => ({ kind: kind as string, name })) ?? []
  const kinds = [...channels, ...own.filter(({ kind }) => !channels.some((one) => one.kind === kind))]
  return {
    kinds,
    kindOf: ({ kind }) => (kind === '' ? deliveriesText('kind.none') : (kinds.find((one) => one.kind === kind)?.name ?? kind))
  }
}
