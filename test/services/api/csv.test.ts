/** Tests of how text is written as a cell of a CSV answer. */
import t from 'tap'
import { csvOf } from '../../../services/api/http/csv.ts'

t.test('text never becomes a formula, whatever separates cells', async (t) => {
  const cases: [text: string, cell: string][] = [
    ['disk full', 'disk full'],
    ['=1+1', "'=1+1"],
    ['@a', "'@a"],
    ["disk;=cmd|' /C calc'!A0;x", `"disk;'=cmd|' /C calc'!A0;x"`],
    ['a\r\n+1', `"a\r\n'+1"`],
    ['a\n-1;-2', `"a\n'-1;'-2"`],
    ['a;b', '"a;b"'],
    ['a-b = c+d', 'a-b = c+d'],
    ['x,"y"', '"x,""y"""']
  ]
  for (const [text, cell] of cases) t.equal(csvOf([{ text }]), `text\r\n${cell}\r\n`, JSON.stringify(text))
  t.equal(csvOf([{ text: -1 }]), 'text\r\n-1\r\n', 'a figure stays a figure')
})
