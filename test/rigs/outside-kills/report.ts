import { acknowledgedIn } from './ledger.ts';
import type { OutsideReport } from './rig.ts';

/** How much of each kind a run of the rig saw, to show that it tests something. */
export function figuresOf({ kills, killsAtStart, evidence }: OutsideReport) {
  const { ledger, tasks, runs } = evidence;
  const posts = [...ledger.posts.values()];
  const by = (way: string) => posts.filter((post) => post.way === way && post.taskIds.size > 0).length;
  const events = [...tasks.values()].flatMap((fact) => fact.events);
  return {
    kills,
    killsAtStart,
    acknowledged: acknowledgedIn(ledger).length,
    byApi: by('api'),
    byCommandLine: by('cli'),
    byGateway: by('gateway'),
    unanswered: ledger.unanswered,
    cancelled: ledger.cancelled.size,
    tokens: ledger.tokens.size,
    events: events.length,
    runs: runs.filter(({ what }) => what === 'begin').length,
    /** Runs that a kill ended and that were taken up again. */
    takenUp: events.filter(({ type, data }) => type === 'requeued' && data['deadLetterId'] === undefined)
      .length,
    poisoned: events.filter(({ data }) => data['code'] === 'poison').length,
    readers: ledger.readers.length,
    eventsRead: ledger.readers.reduce((sum, log) => sum + log.events.length, 0),
    /** Readers whose connection broke before the end. */
    reconnected: ledger.readers.filter(({ connections }) => connections > 2).length,
  };
}

/** The figures of a run in a few lines. */
export function reportOf(report: OutsideReport): string {
  const figures = Object.entries(figuresOf(report)).map(([name, n]) => `${name} ${n}`);
  const { slowestStartMs, settledMs, totalMs } = report;
  const times = `slowest start ${Math.round(slowestStartMs)} ms, finished ${Math.round(settledMs)} ms after the last start, ${(totalMs / 1000).toFixed(1)} s in all`;
  return `${figures.join(', ')}\n${times}`;
}
