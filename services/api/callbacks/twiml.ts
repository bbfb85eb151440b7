/** Builds answers to Twilio: words to say in a call, or to send back by text message. */
import { gsmText } from '../../channels/telephony.ts'
import { escapeHtml, oneLine, truncate } from '../../channels/text.ts'

const MAX_TEXT = 300

export const nothing = '<Response/>'

const words = (text: string): string => escapeHtml(truncate(gsmText(oneLine(text)), MAX_TEXT))

export const answered = (text: string | null): string =>
  text === null ? nothing : `<Response><Message>${words(text)}</Message></Response>`

export const said = (text: string): string => `<Response><Say>${words(text)}</Say></Response>`

/** Asks the person for another key, which Twilio sends to `action`. */
export const askedAgain = (menu: string, action: string): string =>
  `<Response><Gather input="dtmf" numDigits="1" timeout="8" action="${escapeHtml(action)}" method="POST"><Say>${words(menu)}</Say></Gather><Say>No input received. Goodbye.</Say></Response>`
