/**
 * The role `analytics`: the engine, the sink that fills it from the log, and the queries of the
 * api. With the engine in process, one process owns one folder. With a server, several processes
 * may share it, each with whole topics. While the engine is unavailable the sink waits, and the log
 * keeps the records.
 */
import { join } from 'node:path'
import type { TopicName } from '../../schemas/topics.ts'
import { waitForLog } from '../../streams/runtime/connect.ts'
import { verifyTopics } from '../../streams/runtime/create-topics.ts'
import { runSink } from '../../streams/runtime/sink.ts'
import type { StartRole } from '../process/role.ts'
import { columnsOf } from './columns.ts'
import { openEngine } from './engine.ts'
import { formBatch, learn, sinkTopicNames } from './forming.ts'
import { migrateEngine } from './migrations.ts'
import { REV } from './rows.ts'
import { serveQueries } from './server.ts'

const GROUP = 'analytics'

/** Questions that a ClickHouse server answers at a time. The engine in process answers one. */
const SERVER_QUESTIONS = 16

export const start: StartRole = async (context) => {
  const { config, log, metrics } = context
  const kafka = { brokers: config.kafkaBrokers, clientId: `analytics-${config.instance}`, topicPrefix: config.topicPrefix, log }
  const codec = await context.codec()
  const { clusterId } = await waitForLog(kafka)
  await verifyTopics(kafka)
  const rejected = metrics.counter('service_sink_rejected_total', 'Records that are no row of their table', ['topic', 'reason'])
  const engine = openEngine({
    path: join(config.dataDir, 'clickhouse'),
    urls: config.clickhouseUrls,
    replicas: config.clickhouseCluster !== ''
  })
  try {
    const applied = await migrateEngine(engine, config.clickhouseCluster)
    if (applied.length > 0) log.info({ files: applied }, 'the engine was migrated')
    const sink = await runSink({
      ...kafka,
      group: GROUP,
      topics: sinkTopicNames,
      sessionTimeoutMs: config.kafkaSessionTimeoutMs,
      clusterId,
      rev: REV,
      metrics,
      begin: () => formBatch(codec, (topic, reason) => rejected.inc({ topic, reason })),
      prepare: (records) => learn(codec, records),
      insert: ({ table, body }, token) => engine.insert(table, columnsOf(table), body, token),
      onFatal: (reason, error) => context.fatal(reason, error)
    })
    const server = await serveQueries({
      url: config.analyticsUrl,
      secret: config.analyticsSecret,
      engine,
      atOnce: config.clickhouseUrls.length === 0 ? 1 : SERVER_QUESTIONS,
      completeUntil: (topic: TopicName) => sink.completeUntil(topic),
      log,
      metrics
    }).catch(async (error: unknown) => {
      await sink.close()
      throw error
    })
    return {
      ready: () => ({ sink: sink.ready() }),
      async close() {
        await server.close()
        await sink.close()
        await engine.close()
      }
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}
