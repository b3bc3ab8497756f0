import type { RunProgress } from '../../contract/run-progress.ts';
import type { RunningEvent } from '../agents/agent-adapter.ts';
import type { ReportedUsage } from '../usage/run-usage.ts';
import { aloneDaemon, type DaemonIdentity } from '../daemon-identity.ts';
import type { CoreEvents, EventBus } from '../events.ts';
import { formatUsd } from '../text/format-usd.ts';

/** Agents report usage as often as they like; it is published at most this often for each run. */
const EVERY_MS = 500;

/** What is known of a run. */
type Report = CoreEvents['run_progress'];

export interface ProgressReport {
  /** Takes what the run has used so far, in all. */
  spend(used: ReportedUsage): void;
  /** Takes the events of the run, some of which name its step. */
  note(event: RunningEvent): void;
  end(): void;
}

/** How far the runs are, in a cluster those of other daemons too. */
export class RunProgressReports {
  readonly #bus: EventBus;
  readonly #reports = new Map<string, Report>();

  constructor(bus: EventBus, { isInCluster }: Pick<DaemonIdentity, 'isInCluster'> = aloneDaemon) {
    this.#bus = bus;
    if (!isInCluster) return;
    bus.on('run_progress', (report) => this.#reports.set(report.task.id, report));
    bus.on('task', ({ task }) => {
      if (task.status !== 'in_progress') this.#reports.delete(task.id);
    });
  }

  of(taskId: string): RunProgress | undefined {
    return this.#reports.get(taskId)?.progress;
  }

  /** Those that have reported something. */
  all(): Iterable<Report> {
    return this.#reports.values();
  }

  begin(task: Report['task']): ProgressReport {
    let timer: NodeJS.Timeout | undefined;
    let isStale = false;
    let isOver = false;
    const publish = () => {
      timer = undefined;
      const report = this.#reports.get(task.id);
      if (!isStale || !report) return;
      isStale = false;
      timer = setTimeout(publish, EVERY_MS);
      this.#bus.emit('run_progress', report);
    };
    const change = (change: RunProgress) => {
      // An agent that was abandoned may still report.
      if (isOver) return;
      this.#reports.set(task.id, { task, progress: { ...this.of(task.id), ...change } });
      isStale = true;
      if (!timer) publish();
    };
    return {
      spend: ({ inputTokens, outputTokens, costUsd = 0 }) => {
        const tokens = inputTokens + outputTokens;
        if (tokens === 0 && costUsd === 0) return;
        change({ tokens, ...(costUsd > 0 && { cost: formatUsd(costUsd) }) });
      },
      note: ({ data }) => {
        const step = data?.['type'] === 'step:start' ? data['step'] : undefined;
        if (typeof step === 'number') change({ step });
      },
      end: () => {
        isOver = true;
        clearTimeout(timer);
        this.#reports.delete(task.id);
      },
    };
  }
}
