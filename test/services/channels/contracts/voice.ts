/** Calls by Twilio. Source: docs/design/outbound-channels.md#s3-26. */
import { type Contract, withField, withHeader } from '../contract.ts'
import { twilio, twilioFaults } from './sms.ts'

export const contract: Contract<{ number: string }> = {
  base: 'twilio',
  config: () => ({ number: '+4915112345678' }),
  rotated: null,
  vendor: twilio,
  faults: twilioFaults,
  wrong: {
    'another account': withHeader('authorization', 'Basic bm9ib2R5OngK'),
    'nothing to say': withField('Twiml', null),
    'what is said is no TwiML': withField('Twiml', '<Response><Say>a & b</Say></Response>'),
    'an event that is none': withField('StatusCallbackEvent', 'hung-up'),
    'no number': withField('To', '12')
  },
  checked: "Twilio's own library sends the same requests and reads the TwiML",
  row: {
    create: 'nothing → saved',
    test: 'call → arrived',
    down: 'call → sent',
    update: 'nothing → suppressed (no_event)',
    acknowledge: 'nothing → suppressed (no_event)',
    recover: 'text → sent',
    rotate: 'not applicable: the account is that of the deployment',
    '400': '400 → failed',
    '401': '401, call → sent',
    '404': '400 no such number → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), call → sent',
    '500': '500, call → sent',
    timeout: 'no answer, call → sent',
    malformed: 'nonsense, call → sent'
  }
}
