/** The list's question answered in words. Pure. */

const incidents = (count: number): string => `${count} ${count === 1 ? 'incident' : 'incidents'}`

/** Of the whole workspace, whatever the list is narrowed to. */
export function answerOf(waiting: number, acknowledged: number): string {
  if (waiting === 0 && acknowledged === 0) return 'Nothing is wrong'
  if (waiting === 0) return `${incidents(acknowledged)} acknowledged, none waits for someone`
  const needs = `${incidents(waiting)} ${waiting === 1 ? 'needs' : 'need'} someone`
  return acknowledged === 0 ? needs : `${needs}, ${acknowledged} acknowledged`
}
