/** Why a program failed: the last line of its errors, or of the message when it printed none. */
export function lastWords(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string }
  return (stderr || message).trim().split('\n').at(-1) ?? ''
}
