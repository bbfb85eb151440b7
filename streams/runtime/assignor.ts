/**
 * Gives whole topics to one member of a group, for the sink: one insert then covers all partitions
 * of a topic.
 * Which member gets which topic follows from the sorted names, so every leader decides alike;
 * heavier topics (named first) are dealt first.
 */
import { assignerProtocol, type PartitionAssigner } from './kafkajs.ts'

const NAME = 'WholeTopics'
const VERSION = 0

/**
 * Topics by member: the first topic to the first member, and so on around. A member may be left
 * with none.
 */
export function dealTopics(members: readonly string[], topics: readonly string[]): Map<string, string[]> {
  const sorted = [...members].sort()
  const dealt = new Map<string, string[]>(sorted.map((member) => [member, []]))
  topics.forEach((topic, index) => {
    const member = sorted[index % sorted.length]
    if (member !== undefined) dealt.get(member)?.push(topic)
  })
  return dealt
}

/**
 * `order`: names on the broker, heaviest first; topics that are not among them come last, by name.
 */
export const wholeTopics =
  (order: readonly string[]): PartitionAssigner =>
  ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    async assign({ members, topics }) {
      const rank = (topic: string): number => (order.includes(topic) ? order.indexOf(topic) : order.length)
      const ranked = [...topics].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      const dealt = dealTopics(
        members.map(({ memberId }) => memberId),
        ranked
      )
      return [...dealt].map(([memberId, own]) => ({
        memberId,
        memberAssignment: assignerProtocol.MemberAssignment.encode({
          version: VERSION,
          userData: Buffer.alloc(0),
          assignment: Object.fromEntries(
            own.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)])
          )
        })
      }))
    },
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: assignerProtocol.MemberMetadata.encode({ version: VERSION, topics, userData: Buffer.alloc(0) })
    })
  })
