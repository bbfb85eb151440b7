/**
 * A message of the gateway: docs/design/api/realtime.md#rm-1. Frames of an aggregate have `ver`; of
 * two frames the one with the higher `ver` counts.
 */
export interface Frame {
  channel?: string
  type: string
  data: Record<string, unknown>
  at?: string
  ver?: number
}
