import type { Monitor } from '../../api/shapes.ts'

/**
 * Returns the codes of the regions that check a monitor now or did before. A code may appear twice.
 */
export const regionsOf = ({ regions, region_states }: Pick<Monitor, 'regions' | 'region_states'>): string[] => [
  ...regions,
  ...region_states.map(({ region }) => region)
]
