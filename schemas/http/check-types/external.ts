/** A state that a program or a person pushes to the api. No prober checks anything. */
import { type Static, Type } from 'typebox'
import { type CheckType, setting } from '../check-type.ts'

const config = Type.Object(
  {
    expected_every_seconds: setting(
      Type.Integer({
        minimum: 30,
        maximum: 2_592_000,
        title: 'Expected every (s)',
        description: 'When no state arrives for this long, the state is unknown; when empty, the last state holds for ever'
      })
    )
  },
  { additionalProperties: false }
)
export type ExternalConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'Pushed state',
  aliases: ['manual', 'push'],
  target: { form: 'none', words: 'Nothing: its state is pushed' },
  config,
  assertions: {},
  success: 'The state up, as it is pushed',
  usual: { rounds: 1 }
}
