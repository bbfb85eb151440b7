/** The date until which a domain is registered, read by RDAP. */
import { type Static, Type } from 'typebox'
import { numberOps } from '../check-config.ts'
import { type CheckType, setting } from '../check-type.ts'

/** The shortest interval: registries are not asked more often. */
const A_DAY = 86_400
export const USUAL_WARN_DAYS = 30
export const USUAL_FAIL_DAYS = 7

const config = Type.Object(
  {
    warn_days: setting(
      Type.Integer({
        minimum: 1,
        maximum: 365,
        default: USUAL_WARN_DAYS,
        title: 'Degraded at so many days left',
        description: 'Days until the registration ends'
      })
    ),
    fail_days: setting(
      Type.Integer({
        minimum: 1,
        maximum: 365,
        default: USUAL_FAIL_DAYS,
        title: 'Down at so many days left',
        description: 'At most the number of days for degraded'
      })
    )
  },
  { additionalProperties: false }
)
export type DomainConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'Domain registration',
  aliases: [],
  target: { form: 'domain', words: 'A registered domain, such as example.com' },
  config,
  assertions: { latency_ms: { ops: numberOps, values: 'number' } },
  success: 'A registration that lasts for longer than that',
  usual: { interval_seconds: A_DAY, rounds: 1 },
  least_interval_seconds: A_DAY,
  faults({ warn_days, fail_days }) {
    const isUpsideDown = Number(fail_days ?? USUAL_FAIL_DAYS) > Number(warn_days ?? USUAL_WARN_DAYS)
    return isUpsideDown ? [{ path: 'fail_days', rule: 'max', message: 'must be at most warn_days' }] : []
  }
}
