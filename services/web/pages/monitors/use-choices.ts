/** The choices that the monitor form offers. */
import { useQuery } from '@tanstack/react-query'
import { teamsQuery } from '../../api/lists.ts'
import { monitorGroupsQuery } from '../../api/monitor-groups.ts'
import { regionsQuery } from '../../api/monitors.ts'
import { stillComes } from '../../parts/still-comes.ts'

/**
 * Whether the choices are still loading. If the form were drawn before them, it would move when a
 * choice appears.
 */
export const useChoicesCome = (): boolean => stillComes(useQuery(regionsQuery), useQuery(teamsQuery), useQuery(monitorGroupsQuery))
