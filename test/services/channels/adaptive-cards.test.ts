/**
 * Checks our Adaptive Cards for Teams with `adaptivecards`, the library of the format's own
 * authors. It must accept our cards, and refuse cards with faults. No engines.
 */
import { createRequire } from 'node:module'
import t from 'tap'
import type { Message } from '../../../services/channels/channel.ts'
import { channel as teams } from '../../../services/channels/kinds/msteams.ts'
import { contract } from './contracts/msteams.ts'
import { acknowledged, drive, hostile, json, message, reply, test, up } from './messages.ts'

// The package's modules are for bundlers. Node must load the bundle.
const bundle = 'adaptivecards/dist/adaptivecards.js'
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(bundle) as typeof import('adaptivecards')

const config = contract.config('https://contract.example')

/** Returns the errors that the library finds in a card. */
function faultsOf(card: unknown): string[] {
  const context = new SerializationContext(Versions.v1_4)
  const read = new AdaptiveCard()
  read.parse(card, context)
  return [...Array(context.eventCount).keys()].map((nth) => context.getEventAt(nth).message)
}

const cardOf = (what: Message) => json(drive(teams, what, config, [reply(202)]).requests[0]).attachments[0].content

t.test('the library reads the card of every event without faults and drops nothing', async (t) => {
  for (const what of [message(), acknowledged(), up(), test(), hostile()]) {
    const card = cardOf(what)
    t.same(faultsOf(card), [], what.event)
    const read = new AdaptiveCard()
    read.parse(card, new SerializationContext(Versions.v1_4))
    const again = read.toJSON(new SerializationContext(Versions.v1_4))
    t.same(again?.body, card.body, `${what.event}: the body`)
    t.same(again?.actions, card.actions, `${what.event}: the actions`)
  }
})

t.test('the library reports faults in invalid cards', async (t) => {
  const card = cardOf(message())
  t.not(faultsOf({ ...card, body: [{ type: 'Poem', text: 'x' }] }).length, 0, 'an element that there is not')
  t.not(faultsOf({ ...card, version: 'new' }).length, 0, 'a version that is none')
  t.not(faultsOf({ ...card, body: [{ ...card.body[0], color: 'Pink' }] }).length, 0, 'a colour that there is not')
  t.not(faultsOf({ ...card, actions: [{ type: 'Action.Dance' }] }).length, 0, 'an action that there is not')
})
