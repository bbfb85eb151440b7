/** The frame of the pages that need no session: the product's name above one form. */
import type { ReactNode } from 'react'
import { Brand } from '../../parts/Brand.tsx'
import classes from './Login.module.css'

export const LoginCard = ({ children }: { children: ReactNode }) => (
  <main className={classes.page}>
    <div className={classes.form}>
      <Brand />
      {children}
    </div>
  </main>
)
