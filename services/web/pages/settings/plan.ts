/** Plans in words. */
import type { Workspace } from '../../api/shapes.ts'

const names: Readonly<Record<Workspace['plan'], string>> = { free: 'Free', pro: 'Pro', business: 'Business', enterprise: 'Enterprise' }

export const planName = (plan: Workspace['plan']): string => names[plan]
