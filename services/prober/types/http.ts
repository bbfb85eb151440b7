/** http: see check-http.ts, which performs what http-plan.ts has planned. */
import { attemptHttp } from '../check-http.ts'
import { planHttp } from '../http-plan.ts'
import type { ProberType } from '../prober-type.ts'

export const type: ProberType = {
  plan(assignment, { userAgent }) {
    const plan = planHttp(assignment, userAgent)
    return { timeoutMs: plan.timeoutMs, attempt: (edge) => attemptHttp(plan, edge) }
  }
}
