/** Recognises a single emoji as people choose it: one grapheme that is shown as a picture. */
const SEQUENCE =
  /^(?:\p{RI}{2}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{EMod})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{EMod})?){0,6})$/u
/** UTF-16 units. */
const MAX_LENGTH = 32

export const isEmoji = (text: string): boolean => text.length <= MAX_LENGTH && SEQUENCE.test(text)
