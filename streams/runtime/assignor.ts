/**
 * Assigns whole topics to single members of a consumer group. The sink uses it, so that one insert
 * covers all partitions of a topic.
 *
 * The assignment follows from the sorted names, so every leader decides the same. Heavier topics
 * (named first) are assigned first.
 */
import { byText } from '../../schemas/text-order.ts'
import { assignerProtocol, type PartitionAssigner } from './kafkajs.ts'

const NAME = 'WholeTopics'
const VERSION = 0

/**
 * Returns the topics by member: the first topic to the first member, and so on in turn. Some
 * members may get no topic.
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
 * `order` lists topic names on the broker, heaviest first. Topics that it does not list come last,
 * by name.
 */
export const wholeTopics =
  (order: readonly string[]): PartitionAssigner =>
  ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    async assign({ members, topics }) {
      const rank = (topic: string): number => (order.includes(topic) ? order.indexOf(topic) : order.length)
      const ranked = [...topics].sort((a, b) => rank(a) - rank(b) || byText(a, b))
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
