/** What the form of a monitor offers to choose from. */
import { useQuery } from '@tanstack/react-query'
import { teamsQuery } from '../../api/lists.ts'
import { monitorGroupsQuery } from '../../api/monitor-groups.ts'
import { regionsQuery } from '../../api/monitors.ts'
import { stillComes } from '../../parts/still-comes.ts'

/** Whether it is on its way: drawn before it, the form would move when a choice appears. */
export const useChoicesCome = (): boolean => stillComes(useQuery(regionsQuery), useQuery(teamsQuery), useQuery(monitorGroupsQuery))
