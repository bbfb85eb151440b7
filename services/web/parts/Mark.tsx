/** The mark: a watch that stands over the plain. The same drawing is in public/icon.svg. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" aria-hidden>
    <rect width="32" height="32" rx="8" fill="#4353d0" stroke="none" />
    <circle cx="16" cy="13.5" r="6.2" />
    <path d="M16 10.6v3l2 1.6" strokeWidth="2.2" strokeLinejoin="round" />
    <path d="M6.5 24.5h19" />
  </svg>
)
