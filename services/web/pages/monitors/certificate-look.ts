/** The mark that shows how near its end a certificate is. */
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { ENDS_NOW_DAYS, ENDS_SOON_DAYS } from '../../api/certificates.ts'
import type { Look } from '../../parts/Status.tsx'
import { certificatesText } from '../../texts/certificates.ts'

/** `days_left` below 0 means that the certificate has ended. */
export function daysInWords(days_left: number): string {
  if (days_left < 0) return certificatesText('row.ended')
  if (days_left === 0) return certificatesText('row.today')
  return days_left === 1 ? certificatesText('row.day') : certificatesText('row.days', { days: days_left })
}

export const certificateLook = (days_left: number): Look => ({
  tone: days_left <= ENDS_NOW_DAYS ? 'bad' : days_left <= ENDS_SOON_DAYS ? 'warn' : 'good',
  icon: days_left <= ENDS_SOON_DAYS ? ShieldAlert : ShieldCheck,
  word: daysInWords(days_left)
})
