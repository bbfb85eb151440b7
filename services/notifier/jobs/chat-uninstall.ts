/**
 * Uninstalls an app at a chat service after its last channel was deleted. One workspace of the
 * vendor may belong to several of our workspaces, and it has the app only once. The app stays as
 * long as one of them has a channel there.
 * Source: docs/design/outbound-channels.md#s4-6.
 */
import { performSteps } from '../../delivery/steps.ts'
import { installOwners } from '../../store/chat-installs.ts'
import { appOf, openedConfig } from '../chat-app.ts'
import { payloadText, type RunJob } from '../job.ts'

const recordOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {})

export const run: RunJob = async (tx, job, { post }) => {
  const { tenant_id } = job
  if (!post) throw new Error('chat_uninstall: this deployment sends nothing')
  const channel_id = payloadText(job, 'channel_id')
  const app = appOf(payloadText(job, 'kind'))
  const account = app?.account(post.deployment)
  if (!app || !account) return
  const stored = recordOf(job.payload.config)
  const place = stored[app.place.account]
  if (typeof place !== 'string' || (await installOwners(tx, app.kind, place)).length > 0) return
  const config = openedConfig(post, tenant_id, { channel_id, kind: app.kind, config: stored })
  const context = { now: Date.now(), attempt: job.attempts, doubtful: job.attempts > 1, deployment: post.deployment }
  return {
    async outside() {
      const outcome = await performSteps(post.http, app.uninstall(account, config, context))
      if (outcome.outcome === 'retry') throw new Error(`chat_uninstall: ${app.kind} wants it later`)
    }
  }
}
