import type { Monitor } from '../../api/shapes.ts'

/** Codes of the regions that a monitor is checked from, or was; some of them twice. */
export const regionsOf = ({ regions, region_states }: Pick<Monitor, 'regions' | 'region_states'>): string[] => [
  ...regions,
  ...region_states.map(({ region }) => region)
]
