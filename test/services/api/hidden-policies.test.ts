/** Tests of which policies an answer names, and that a hidden one is replaced by null. */
import t from 'tap'
import { policiesNamed, withoutHidden } from '../../../services/api/plugins/hidden-policies.ts'

const answer = {
  items: [
    { id: 'a', escalation_policy_id: 'seen', labels: { policy_id: 'gold' } },
    { id: 'b', escalation_policy_id: 'hidden', at: new Date(0) },
    { id: 'c', escalation_policy_id: null }
  ],
  default_escalation_policy_id: 'hidden',
  total: 3
}

t.test('every escalation policy that an answer names is found', async (t) => {
  t.same([...policiesNamed(answer)].sort(), ['hidden', 'seen'])
  t.same([...policiesNamed('hidden')], [])
  t.same([...policiesNamed({ type: 'policy_id', id: 'x' })], [])
})

t.test('a hidden policy becomes null, and the rest of the answer stays unchanged', async (t) => {
  const shown = withoutHidden(answer, new Set(['seen'])) as typeof answer
  t.same(shown, {
    ...answer,
    default_escalation_policy_id: null,
    items: [answer.items[0], { ...answer.items[1], escalation_policy_id: null }, answer.items[2]]
  })
  t.equal(shown.items[1]?.at, answer.items[1]?.at, 'an instant stays an instant')
  t.equal(shown.items[2], answer.items[2], 'what names none is not copied')
  t.equal(withoutHidden(answer, new Set(['seen', 'hidden'])), answer)
  t.equal(answer.items[1]?.escalation_policy_id, 'hidden', 'what was given stays as it was')
})
