/**
 * The regions of a local run: three probers on this machine, each with a token and a voice of its
 * own, so that votes are votes.
 */
export const localRegions = [
  { code: 'eu-central', label: 'Frankfurt', country: 'DE' },
  { code: 'us-east', label: 'Virginia', country: 'US' },
  { code: 'ap-south', label: 'Mumbai', country: 'IN' }
] as const
export type LocalRegion = (typeof localRegions)[number]['code']
