/** Tests which kinds of channels have a message for a degraded monitor. */
import t from 'tap'
import { channelKinds, kindsWithoutDegraded } from '../../../schemas/http/notification-words.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { contracts } from './contract.ts'
import { context, message } from './messages.ts'

t.test('kindsWithoutDegraded names exactly the kinds that skip it', async (t) => {
  const written = await contracts()
  const skips = channelKinds.filter((kind) => {
    const channel = channels[kind]
    const entered = written.get(kind)?.config('https://vendor.example.test')
    if (!channel || !entered) throw new Error(`${kind}: no channel or contract`)
    const config = channel.normalise?.(entered) ?? entered
    const { done, value } = channel.steps(message({ event: 'degraded' }), config, null, context()).next()
    return done && 'why' in value && value.why === 'no_event'
  })
  t.same(
    skips,
    channelKinds.filter((kind) => kindsWithoutDegraded.includes(kind))
  )
})
