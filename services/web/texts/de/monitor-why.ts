/** German translation of the texts in monitor-why.ts. */
import type { monitorWhy } from '../monitor-why.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof monitorWhy> = {
  'region.none': '{region} hat noch kein Ergebnis.',
  'region.stale': '{region} hat kein frisches Ergebnis und zählt darum nicht.',
  'region.undecided': '{region} zählt noch nicht: {count} von {rounds} Fehlschlägen in Folge.',
  'region.undecided_for': '{region} zählt noch nicht: Fehlschläge seit {time} von {of}.',
  'region.up': '{region} meldet: erreichbar.',
  'region.up_failing': '{region} meldet noch: erreichbar. {count} von {rounds} Fehlschlägen in Folge.',
  'region.up_failing_for': '{region} meldet noch: erreichbar. Fehlschläge seit {time} von {of}.',
  'region.down_recovering': '{region} meldet noch: ausgefallen. {count} von {rounds} Erfolgen in Folge.',
  'region.down_recovering_for': '{region} meldet noch: ausgefallen. Erfolge seit {time} von {of}.',
  'region.down_rate_still': '{region} meldet noch: ausgefallen. {count} Fehlschläge binnen {time}.',
  'region.down_rate': '{region} meldet: ausgefallen. {count} Fehlschläge binnen {time}.',
  'region.down_one': '{region} meldet: ausgefallen. 1 Fehlschlag.',
  'region.down': '{region} meldet: ausgefallen. {count} Fehlschläge in Folge.',
  'region.alone': '{said} Diese Region allein scheitert seit Langem.',
  'quorum.enough': '{fresh} von {configured} Regionen haben ein frisches Ergebnis. Eine Änderung braucht {quorum}.',
  'quorum.few': '{fresh} von {configured} Regionen haben ein frisches Ergebnis. Eine Änderung braucht {quorum}, darum bleibt der Zustand.',
  'quorum.one': 'Seine einzige Region hat ein frisches Ergebnis.',
  'quorum.none': 'Seine einzige Region hat kein frisches Ergebnis, darum bleibt der Zustand.',
  'vote.count':
    'Regionen, die einen Ausfall melden: {down}; ausgefallen ist der Monitor ab {needed}. Regionen, die ihn erreichen: {up}; wieder erreichbar ist er ab {majority}.',
  'flap.not': 'Er flattert nicht: {percent} % der letzten {rounds} Runden waren Wechsel. Flattern beginnt bei {limit} %.',
  'flap.is': 'Er flattert: {percent} % der letzten {rounds} Runden waren Wechsel. Flattern endet bei {limit} %.',
  'state.paused': 'Er ist pausiert: Keine Region prüft ihn.',
  'state.new': 'Er ist neu: Noch gibt es kein Ergebnis.',
  'state.maintenance': 'Er scheitert während eines Wartungsfensters.',
  'state.dependency': 'Auch etwas, wovon er abhängt, scheitert.'
}
