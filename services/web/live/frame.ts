/** What the gateway says: api-design.md RM-1. `ver` stands on frames of an aggregate; of two the higher one counts. */
export interface Frame {
  channel?: string
  type: string
  data: Record<string, unknown>
  at?: string
  ver?: number
}
