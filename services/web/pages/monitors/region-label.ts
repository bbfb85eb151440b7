/** Returns the label of a region, or its code if it has no label. */
import type { Monitor } from '../../api/shapes.ts'

export const regionLabel = ({ prober_region_labels }: Pick<Monitor, 'prober_region_labels'>, code: string): string =>
  prober_region_labels[code] ?? code
