/** The hand-written answer for an exceeded budget must equal the generated one. */
import t from 'tap'
import { failed } from '../../../services/http/answer.ts'
import { inVendorsWords } from '../../../services/intake/doors/native.ts'
import { overBudget, overBudgetAnswer } from '../../../services/intake/doors/over-budget.ts'

const standing = { admitted: false, limit: 60_000, remaining: 0, reset_seconds: 17 }

t.test('the hand-written answer over the budget equals the generated one', async (t) => {
  t.same(overBudgetAnswer(standing, 'r-1'), failed(overBudget(standing), 'r-1'))
})

t.test('the answer over the budget in the format of a vendor keeps our fields', async (t) => {
  const { body } = failed(overBudget(standing), 'r-1', (ours) => inVendorsWords(ours, 0.25))
  const error = 'Over the budget of 60000 alerts a minute of this workspace: nothing was stored, try again in 17 s'
  t.equal(
    body,
    JSON.stringify({
      message: error,
      error,
      code: 'RATE_LIMITED',
      request_id: 'r-1',
      name: 'ingest_tenant',
      limit: 60_000,
      remaining: 0,
      retry_after: 17,
      window_seconds: 60,
      took: 0.25,
      requestId: 'r-1'
    })
  )
})
