/**
 * What `import t from 'tap'` gives to a file that several.ts runs. It is loaded anew for each, with
 * the file's address behind its own.
 */
import { running } from './running-test.ts'

if (!running.test) throw new Error('no file is run')
export default running.test
