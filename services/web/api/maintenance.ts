/** Queries and actions for maintenance and deployment windows. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { WindowState } from '../../../schemas/http/maintenance-words.ts'
import { client, take } from './client.ts'
import { allPages, PER_PAGE } from './lists.ts'
import type { MaintenanceWindow, NewWindow, WindowChange, WindowPreview } from './shapes.ts'

/** Polling interval: windows begin and end by themselves, without a frame. */
const AGAIN_MS = 30_000
export const WINDOWS_PER_PAGE = 50

/** Windows that begin last come first. An empty `states` means all states. */
export const windowsQuery = (states: readonly WindowState[], page = 1) =>
  queryOptions({
    queryKey: ['maintenance', 'list', states, page],
    queryFn: ({ signal }) => {
      const query = { page, per_page: WINDOWS_PER_PAGE, ...(states.length > 0 && { state: [...states] }) }
      return take(client.GET('/api/v1/maintenance-windows', { params: { query }, signal }))
    },
    refetchInterval: AGAIN_MS
  })

/**
 * Windows with their occurrences in the range, as instants. Every page is read: the api sorts by
 * begin, so those that run now may be on the last one.
 */
export const windowsBetween = (from: string, to: string) =>
  queryOptions({
    queryKey: ['maintenance', 'calendar', from, to],
    queryFn: ({ signal }) =>
      allPages<MaintenanceWindow>((page) =>
        take(client.GET('/api/v1/maintenance-windows', { params: { query: { from, to, page, per_page: PER_PAGE } }, signal }))
      ),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS
  })

/** Active and scheduled windows that cover a monitor. */
export const windowsOfMonitor = (monitor_id: string) =>
  queryOptions({
    queryKey: ['maintenance', 'monitor', monitor_id],
    queryFn: ({ signal }) =>
      take(
        client.GET('/api/v1/maintenance-windows', {
          params: { query: { monitor_id, state: ['active', 'scheduled'], per_page: 20 } },
          signal
        })
      ),
    refetchInterval: AGAIN_MS
  })

export const windowQuery = (id: string) =>
  queryOptions({
    queryKey: ['maintenance', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/maintenance-windows/{id}', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

export const deploymentsQuery = (page = 1) =>
  queryOptions({
    queryKey: ['maintenance', 'deployments', page],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/deployments/maintenance', { params: { query: { page, per_page: WINDOWS_PER_PAGE } }, signal })),
    refetchInterval: AGAIN_MS
  })

/** The deployment windows that are active now. */
export const runningDeploymentsQuery = queryOptions({
  queryKey: ['maintenance', 'deployments', 'active'],
  queryFn: ({ signal }) =>
    take(client.GET('/api/v1/deployments/maintenance', { params: { query: { state: ['active'], per_page: 1 } }, signal })),
  refetchInterval: AGAIN_MS
})

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['maintenance', 'deployment', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/deployments/maintenance/{id}', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

/** A change applies only if the version is still the one that its author saw. */
const ofSeen = ({ id, version }: Pick<MaintenanceWindow, 'id' | 'version'>) => ({
  params: { path: { id } },
  headers: { 'if-match': `"${version}"` }
})

export const createWindow = async (body: NewWindow): Promise<MaintenanceWindow> =>
  (await take(client.POST('/api/v1/maintenance-windows', { body }))) as MaintenanceWindow
export const changeWindow = (window: Pick<MaintenanceWindow, 'id' | 'version'>, body: WindowChange): Promise<MaintenanceWindow> =>
  take(client.PATCH('/api/v1/maintenance-windows/{id}', { ...ofSeen(window), body }))
export const endWindow = (window: Pick<MaintenanceWindow, 'id' | 'version'>) =>
  take(client.POST('/api/v1/maintenance-windows/{id}/end-now', ofSeen(window)))
export const deleteWindow = (window: Pick<MaintenanceWindow, 'id' | 'version'>) =>
  take(client.DELETE('/api/v1/maintenance-windows/{id}', ofSeen(window)))
export const cancelDeployment = (id: string) =>
  take(client.POST('/api/v1/deployments/maintenance/{id}/cancel', { params: { path: { id } }, body: {} }))

/** `asked`: the body as JSON; null: no preview was requested. */
export const windowPreviewQuery = (asked: string | null) =>
  queryOptions({
    queryKey: ['maintenance', 'preview', asked],
    queryFn: async ({ signal }): Promise<WindowPreview> => {
      const body = JSON.parse(asked ?? '{}') as NewWindow
      return (await take(
        client.POST('/api/v1/maintenance-windows', { params: { query: { preview: true } }, body, signal })
      )) as WindowPreview
    },
    enabled: asked !== null,
    retry: false
  })
