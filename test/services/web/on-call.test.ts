/** What the pages of on-call say, as pure functions. */
import t from 'tap'
import { answerOf } from '../../../services/web/pages/on-call/now-words.ts'

const someone = (name: string) => ({ id: name, name })
const item = (name: string, ...people: string[]) => ({ name, users: people.map(someone) })

t.test('the answer of the page: gaps first, then the people, each once', async (t) => {
  t.equal(answerOf([]), 'Nobody is on call yet')
  t.equal(answerOf([item('Primary', 'Ada'), item('Second', 'Ada')]), 'Ada is on call')
  t.equal(answerOf([item('Primary', 'Ada'), item('Second', 'Ben', '')]), 'On call: Ada, Ben, Somebody who left')
  t.equal(answerOf([item('All', 'A', 'B', 'C', 'D', 'E')]), 'On call: A, B, C and 2 more')
  t.equal(answerOf([item('Primary', 'Ada'), item('Second')]), 'Nobody is on call in Second')
  t.equal(answerOf([item('Primary'), item('Second')]), 'Nobody is on call in 2 schedules')
})
