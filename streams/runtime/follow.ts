/**
 * Reads every partition of some topics without a consumer group: for tables (ceilings at the doors)
 * and fan-out (gateway).
 *
 * It fetches from the leaders of the partitions itself. A group would bring no benefit (the
 * follower reads all partitions and commits nothing), and would cost a coordinator, rebalances and
 * a group to delete.
 *
 * It retries for ever, on new connections. It reports stale while the log cannot be read, and live
 * once it can. Records of a partition arrive in order. After an error, the fetch continues after
 * the last record handed over, so no record is skipped or repeated. When retention has removed the
 * position, it continues with the first record that exists. A log that was replaced is read from
 * its beginning.
 */
import { createFetch, type FollowLog } from './follow-fetch.ts'
import { byLeader, keyOf, locate, type Position } from './follow-positions.ts'
import { type Connect, createCluster } from './kafkajs.ts'
import { createRest } from './rest.ts'
import type { Follower, FollowOptions } from './stream.ts'

export interface FollowDeps extends Connect {
  prefix: string
  log: FollowLog
  /** Longest wait of a fetch when nothing is new; ms. */
  maxWaitMs?: number
  /** `caughtUp` resolves to false after this time; ms. */
  catchUpMs?: number
}

export async function follow(deps: FollowDeps, options: FollowOptions): Promise<Follower> {
  const { prefix, log, maxWaitMs = 2500, catchUpMs = 5000 } = deps
  const names = options.topics.map((topic) => prefix + topic)
  const fetchFrom = createFetch({ log, maxWaitMs }, options)
  let cluster = createCluster(deps)
  let clusterId: string | null = null
  let positions: Position[] | null = null
  let goals: Map<string, bigint> | null = null
  let isLive = false
  let staleSince: number | null = null
  let closed = false
  const { rest, wake } = createRest()
  let settleCaughtUp: (reached: boolean) => void = () => undefined
  const caughtUp = new Promise<boolean>((resolve) => {
    settleCaughtUp = resolve
  })
  const limit = setTimeout(() => settleCaughtUp(false), catchUpMs)

  function checkCaughtUp(): void {
    if (!goals || !positions) return
    for (const position of positions) if (position.next < (goals.get(keyOf(position)) ?? 0n)) return
    goals = null
    clearTimeout(limit)
    settleCaughtUp(true)
  }

  async function place(from: FollowOptions['from']): Promise<Position[]> {
    const located = await locate(cluster, prefix, options.topics, from)
    goals = located.ends
    return located.positions
  }

  /** Reads until something fails or the follower is closed. */
  async function read(onFetched: () => void): Promise<void> {
    if (!cluster.isConnected()) await cluster.connect()
    await cluster.addMultipleTargetTopics(names)
    const found = cluster.brokerPool.metadata?.clusterId ?? null
    if (clusterId !== null && found !== clusterId) {
      log.warn({ topics: options.topics, before: clusterId, now: found }, 'the log was replaced: reading the new one from its beginning')
      positions = await place('beginning')
    }
    clusterId = found
    positions ??= await place(options.from)
    checkCaughtUp()
    // One loop per leader, so that the long poll of an idle leader does not delay the others.
    let over = false
    const loops = [...byLeader(cluster, positions)].map(async ([nodeId, own]) => {
      try {
        while (!closed && !over) {
          await fetchFrom(cluster, nodeId, own)
          onFetched()
          checkCaughtUp()
        }
      } finally {
        over = true
      }
    })
    const failed = (await Promise.allSettled(loops)).find((loop) => loop.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!closed) {
      try {
        await read(() => {
          failures = 0
          if (isLive || closed) return
          isLive = true
          staleSince = null
          options.onLive?.()
        })
      } catch (error) {
        if (closed) return
        failures += 1
        if (isLive || staleSince === null) {
          isLive = false
          staleSince = Date.now()
          log.warn({ err: error, topics: options.topics }, 'the log cannot be read; trying again')
          options.onStale?.(staleSince)
        }
        cluster.abandon()
        await rest(Math.min(100 * 2 ** Math.min(failures, 5), 2000))
        if (!closed) cluster = createCluster(deps)
      }
    }
  }

  const running = run()
  return {
    caughtUp,
    live: () => isLive,
    async close() {
      closed = true
      clearTimeout(limit)
      settleCaughtUp(false)
      cluster.abandon()
      wake()
      await running
    }
  }
}
