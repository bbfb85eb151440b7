/**
 * What the gateway says: docs/design/api/realtime.md#rm-1. `ver` stands on frames of an aggregate;
 * of two the higher one counts.
 */
export interface Frame {
  channel?: string
  type: string
  data: Record<string, unknown>
  at?: string
  ver?: number
}
