/**
 * The regions of a local run: three probers on this machine. Each has its own token and its own
 * vote, so that the votes of regions are separate.
 */
export const localRegions = [
  { code: 'eu-central', label: 'Frankfurt', country: 'DE' },
  { code: 'us-east', label: 'Virginia', country: 'US' },
  { code: 'ap-south', label: 'Mumbai', country: 'IN' }
] as const
export type LocalRegion = (typeof localRegions)[number]['code']
