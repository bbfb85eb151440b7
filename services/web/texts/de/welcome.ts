/** German translation of the texts in welcome.ts. */
import type { Translation } from '../text.ts'
import type { welcome } from '../welcome.ts'

export const de: Translation<typeof welcome> = {
  'page.title': 'Erste Schritte',
  'answer.0': 'So sehen Sie es arbeiten: drei Wege, je eine Minute',
  'answer.1': 'Einer funktioniert, zwei fehlen noch',
  'answer.2': 'Zwei funktionieren, einer fehlt noch',
  'answer.3': 'Alle drei funktionieren',
  'page.hint': 'In beliebiger Reihenfolge. Jeder Schritt wird von selbst grün, wenn er funktioniert.',
  'page.hint_done': 'Unten sehen Sie, wie es weitergeht.',
  'next.label': 'Wie es weitergeht',
  'next.tool': 'Eigenes Werkzeug verbinden',
  'next.monitor': 'Mehr überwachen',
  'next.invite': 'Andere einladen',
  'next.token': 'API-Token erstellen',
  'next.overview': 'Zum Überblick',
  'step.done': 'Fertig',
  'step.turns': 'Diese Zeile wird von selbst grün.',
  'step.editor': 'Ein Editor des Arbeitsbereichs kann diesen Schritt machen.',
  'watch.title': 'Eine Website überwachen',
  'watch.what': 'Jede Region prüft die URL. Jede Antwort erscheint hier, sobald sie da ist.',
  'watch.next':
    'Danach wird die URL jede Minute geprüft, oder so oft, wie Ihr Tarif es erlaubt. Ein Vorfall öffnet sich, wenn die meisten Regionen keine Antwort bekommen.',
  'watch.next_now':
    'Die URL wird jetzt alle {seconds} s geprüft. Ein Vorfall öffnet sich, wenn die meisten Regionen keine Antwort bekommen, und löst sich, wenn sie wieder eine bekommen.',
  'watch.url': 'URL',
  'watch.verb': 'Überwachen',
  'watch.name': 'Mein erster Monitor',
  'watch.refused': 'Die Prüfung',
  'watch.regions': 'Antworten nach Region',
  'watch.checking': 'Wird geprüft…',
  'watch.up': 'Läuft',
  'watch.slow': 'Langsam',
  'watch.failed': 'Gescheitert',
  'watch.all_fail':
    'Die Prüfung scheitert in jeder Region, der Schritt ist also noch nicht fertig. Ändern Sie die URL oder die erwartete Antwort {link}, oder warten Sie, bis die Website antwortet.',
  'watch.all_fail_link': 'in den Einstellungen',
  'watch.blocked':
    'Diese URL liegt in einem privaten Netz. Geprüft werden nur öffentliche Netze. Der Betreiber des Dienstes kann mit `PROBER_ALLOW_CIDRS` weitere erlauben. Eine öffentliche URL funktioniert sofort.',
  'ping.title': 'Einen Job überwachen',
  'ping.what': 'Ein Job, etwa eine Datensicherung, ruft nach jedem Lauf eine URL auf. Fehlt der Aufruf, werden Sie benachrichtigt.',
  'ping.next':
    'Setzen Sie den Befehl an das Ende des Jobs. Kommt ein Ping nicht rechtzeitig, öffnet sich ein Vorfall. Der nächste Ping löst ihn.',
  'ping.next_first': 'Setzen Sie dann den Befehl an das Ende des Jobs. Kommt ein Ping nicht rechtzeitig, öffnet sich ein Vorfall.',
  'ping.command': 'Ping senden',
  'ping.name': 'Mein erster Heartbeat',
  'ping.verb': 'Heartbeat erstellen',
  'ping.waiting': 'Warten auf den ersten Ping…',
  'ping.arrived': 'Der Ping ist angekommen',
  'ping.expected': ', der nächste wird {at} erwartet',
  'alert.title': 'Einen Alarm senden',
  'alert.what': 'Jedes Werkzeug, das POST senden kann, bekommt eine eigene URL. Seine Alarme öffnen einen Vorfall und lösen ihn später.',
  'alert.next':
    'Prometheus, Grafana, Datadog und 22 weitere können Alarme in ihrem eigenen Format senden. Jede Integration zeigt, was im Werkzeug einzusetzen ist.',
  'alert.name': 'Meine ersten Alarme',
  'alert.verb': 'URL für Alarme erstellen',
  'alert.once': 'Das Token in der URL wird nur einmal gezeigt. Bewahren Sie es auf, oder erstellen Sie später ein neues.',
  'alert.lost': '{name} hat eine URL, und ihr Token wurde einmal gezeigt. Haben Sie es nicht aufbewahrt, erstellen Sie ein neues.',
  'alert.lost_editor': '{name} hat eine URL, und ihr Token wurde einmal gezeigt. Ein Editor kann ein neues erstellen.',
  'alert.again':
    '{name} hat schon eine URL. Ihr Token wurde einmal gezeigt. Der Befehl enthält ein neues, und das alte gilt noch eine Stunde.',
  'alert.show': 'Befehl anzeigen',
  'alert.resolve': '{key} lösen',
  'alert.resolving': 'Den Vorfall zu lösen',
  'alert.responder': 'Ein Responder kann ihn lösen.'
}
