/**
 * Keeps the id of an incident in the address of its page. People and lists name an incident by its
 * key, but each workspace has its own INC-42: a copied address with a key would show another
 * incident to somebody whose session is in another workspace, and so would a tab whose workspace
 * another tab switches.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { incidentQuery } from '../../api/lists.ts'
import type { IncidentInFull } from '../../api/shapes.ts'

/** `INC-42`. */
export const isIncidentKey = (reference: string): boolean => /^inc-\d+$/i.test(reference)

/**
 * Replaces a key in the address by the id, once the incident is found. Returns whether the address
 * has the id: before that the page must not show the incident.
 */
export function useIdInAddress(
  reference: string,
  incident: IncidentInFull | undefined,
  to: '/incidents/$id' | '/incidents/$id/postmortem'
): boolean {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isNamedById = incident === undefined || incident.id === reference
  useEffect(() => {
    if (isNamedById) return
    const { id } = incident
    // What was read by the key is shown at once at the new address.
    queries.setQueryData(incidentQuery(id).queryKey, (before) => before ?? incident)
    void navigate({ to, params: { id }, replace: true, resetScroll: false })
  }, [isNamedById, incident, to, queries, navigate])
  return isNamedById
}
