/** Tests the record rate: what it reports after which counts. */
import t from 'tap'
import { RecordRate } from '../../../streams/runtime/record-rate.ts'

const rows: { name: string; counts: [records: number, atMs: number][]; perSecond: number }[] = [
  { name: 'nothing was counted', counts: [], perSecond: 0 },
  { name: 'a window that has not ended says nothing yet', counts: [[900, 249]], perSecond: 0 },
  { name: 'a window ends with the first record a quarter of a second after its start', counts: [[500, 250]], perSecond: 2000 },
  {
    name: 'all records of a window count',
    counts: [
      [10, 100],
      [40, 500]
    ],
    perSecond: 100
  },
  {
    name: 'the next window counts from zero',
    counts: [
      [500, 250],
      [1, 500]
    ],
    perSecond: 4
  },
  {
    name: 'a long silence lowers it',
    counts: [
      [5000, 250],
      [10, 10_250]
    ],
    perSecond: 1
  }
]

for (const { name, counts, perSecond } of rows) {
  t.test(name, async (t) => {
    const rate = new RecordRate(0)
    for (const [records, atMs] of counts) rate.count(records, atMs)
    t.equal(rate.perSecond, perSecond)
  })
}
