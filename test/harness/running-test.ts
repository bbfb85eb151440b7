/** The test that stands for the file that several.ts runs now. */
import type { Test } from 'tap'

export const running: { test: Test | null } = { test: null }
