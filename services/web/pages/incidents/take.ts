/** Acknowledges an incident and assigns it to the current person in one step. */
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { acknowledge, assign, useOfferUndo, useShow } from '../../api/incidents.ts'
import { useSession } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { tellRefused } from '../../parts/tell.ts'
import { incidentsText } from '../../texts/incidents.ts'

/** Acknowledge first, so that the escalation asks nobody else before the assignment is saved. */
async function acknowledgeAndAssign(id: string, user_id: string): Promise<Incident> {
  await acknowledge(id, {})
  return assign(id, { user_id })
}

/** Assigns to the person who is logged in. */
export function useTake() {
  const show = useShow()
  const offerUndo = useOfferUndo()
  const { user } = useSession()
  const again = useRef<(incident: Incident) => void>(() => undefined)
  const taking = useMutation({
    mutationFn: (incident: Incident) => acknowledgeAndAssign(incident.id, user?.id ?? ''),
    onSuccess: (saved, before) => {
      show(saved)
      offerUndo({ action: 'take', before: [before] })
    },
    onError: (error, incident) => tellRefused(incidentsText('take.refused', { key: incident.key }), error, () => again.current(incident))
  })
  again.current = taking.mutate
  return taking
}
