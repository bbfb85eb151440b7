/** The mark beside the name of the product. */
import { productName } from '../name.ts'
import classes from './Brand.module.css'
import { Mark } from './Mark.tsx'

export const Brand = () => (
  <span className={classes.brand}>
    <Mark />
    <span className={classes.name}>{productName()}</span>
  </span>
)
