/**
 * Starts a product for the dashboard's stories, on the engines of the run. One product serves all
 * story files of a run, and each file works in a workspace of its own.
 */
import { productEngines } from '../../harness/engines.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { startProduct } from '../../harness/product.ts'
import { pushEnvironment } from '../../harness/push-vendors.ts'
import { SHORT_LIVED } from '../../harness/short-lived.ts'
import { discordEnvironment } from './discord-page.ts'
import { slackEnvironment } from './slack-page.ts'

export interface StoryProduct {
  /** Environment variables by which a stage finds the product (stage.ts). */
  environment: {
    /** Its data folder. */
    STAGE: string
    /** Ports on which the product expects Slack and Discord, as JSON: `{"slack":1,"discord":2}`. */
    STAGE_CHATS: string
  }
  stop(): Promise<void>
}

/** Starts the product on the engines that this process's environment names. */
export async function startStoryProduct(): Promise<StoryProduct> {
  const shared = await productEngines()
  const [slack = 0, discord = 0] = await freePorts(2)
  const url = (port: number): string => `http://127.0.0.1:${port}`
  const environment = {
    ...shared.environment,
    ...pushEnvironment,
    ...slackEnvironment,
    ...discordEnvironment,
    OUTBOUND_BASE_URLS_JSON: JSON.stringify({ slack: url(slack), discord: url(discord) }),
    PROBER_ALLOW_CIDRS: '127.0.0.0/8'
  }
  const product = await startProduct({ environment, nodeArgs: SHORT_LIVED })
  return {
    environment: { STAGE: product.dataDir, STAGE_CHATS: JSON.stringify({ slack, discord }) },
    async stop() {
      await product.stop()
      await shared.clear()
    }
  }
}
