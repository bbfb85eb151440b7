/** Settings of a workspace. Source: api-design.md 13 (AC-3). */
import { Type } from 'typebox'
import { planIds } from '../plans.ts'
import { common, oneOf } from './common.ts'

export const WorkspaceDetail = Type.Object({
  ...common,
  name: Type.String(),
  slug: Type.String(),
  plan: oneOf(planIds),
  time_zone: Type.String(),
  reopen_after_seconds: Type.Integer()
})
