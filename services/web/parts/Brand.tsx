/** The product's mark with its name beside it. */
import { productName } from '../name.ts'
import classes from './Brand.module.css'
import { Mark } from './Mark.tsx'

export const Brand = () => (
  <span className={classes.brand}>
    <Mark />
    <span className={classes.name}>{productName()}</span>
  </span>
)
