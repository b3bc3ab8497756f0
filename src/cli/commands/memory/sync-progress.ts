import type { SyncProgress } from '../../../contract/memory.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import { fitText } from '../../output/text-width.ts';

export interface SyncDisplay {
  show(progress: SyncProgress): void;
  say(text: string): void;
  end(): void;
}

const BAR = 20;

/** What a sync does, in a line: with a bar once it is known how much there is to do. */
export function formatProgress({ phase, done, total, remainingMs, basePath }: SyncProgress): string {
  const all = total === undefined ? '' : ` of ${total.toLocaleString('en')}`;
  const count = total === 0 ? 'nothing has changed' : `${done.toLocaleString('en')}${all} files`;
  const left =
    phase === 'done' || remainingMs === undefined
      ? ''
      : `, about ${formatDuration(Math.max(1000, remainingMs))} left`;
  return `${phase} ${bar(done, total)}${count}${left}  ${escapeLine(basePath)}`;
}

function bar(done: number, total = 0): string {
  if (total === 0) return '';
  const full = Math.min(BAR, Math.floor((BAR * done) / total));
  return `${'━'.repeat(full)}${'─'.repeat(BAR - full)} `;
}

/** A line on a terminal, and nothing elsewhere. */
export async function syncDisplay(output: Output, isShown: boolean): Promise<SyncDisplay> {
  if (!isShown) return { show: () => undefined, say: (text) => output.note(text), end: () => undefined };
  const { default: ora } = await import('ora');
  const spinner = ora({ text: 'looking', stream: output.errorStream, discardStdin: false }).start();
  const say = (text: string) => {
    spinner.text = fitText(text, Math.max(20, (output.errorStream.columns || 80) - 4));
  };
  output.activity = { pause: () => void spinner.stop(), resume: () => void spinner.start() };
  return {
    show: (progress) => say(formatProgress(progress)),
    say,
    end() {
      spinner.stop();
      output.activity = undefined;
    },
  };
}
