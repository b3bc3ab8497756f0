import { escapeText } from '../../../contract/escape-text.ts';
import type { Task } from '../../../contract/task.ts';
import type { VerifiedCommand } from '../../../contract/verification.ts';
import { counted } from '../../components/counted.ts';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { AnsiText } from '../../components/log-line.tsx';
import { formatDuration } from '../../components/time.tsx';
import type { TaskLog } from '../../live/task-log.ts';
import type { CheckRow } from '../../live/timeline-rows.ts';
import styles from './task.module.css';
import { useLog } from './use-task-log.ts';

interface Check extends Partial<VerifiedCommand> {
  command: string;
}
interface Round {
  round: number;
  isRunning: boolean;
  commands: readonly Check[];
}

/** The commands that verified the work, round by round, the last first. */
export function ChecksTab({ task, log }: { task: Task; log: TaskLog }) {
  useLog(log, (each) => each.version());
  const rounds = roundsOf(task, log);
  const { verification } = task.result ?? {};
  if (rounds.length === 0)
    return (
      <Empty>
        {task.verify
          ? `${counted(task.verify.length, 'command')} will verify the work once the agent has answered.`
          : 'No command verifies this task. Give one with: svc run --verify "npm test" …'}
      </Empty>
    );
  const changed = verification?.changedFiles ?? [];
  return (
    <div className={styles['rounds']}>
      {verification && (
        <p className={styles['remark']}>
          {verification.environment === 'sandbox' ? 'Run in the sandbox' : 'Run without a sandbox'}
          {verification.rounds > 1 && `, ${counted(verification.rounds, 'round')}`}
          {changed.length > 0 &&
            `. The agent changed files that the commands name: ${escapeText(changed.join(', '))}`}
        </p>
      )}
      {rounds.map(({ round, isRunning, commands }, at) => (
        <section key={round} aria-label={`Round ${round}`}>
          {rounds.length > 1 && <h3 className={styles['round']}>Round {round}</h3>}
          <ul className={styles['checks']} role="list">
            {commands.map((check, index) => (
              <li key={index}>
                <CheckItem check={check} isRunning={isRunning} isOpen={at === 0} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Rounds of the last attempt by their events; the result has the output of the last round. */
function roundsOf({ result }: Task, { timeline }: TaskLog): Round[] {
  const attempt = timeline.attempts.findLast(({ rows }) => rows.some(({ kind }) => kind === 'check'));
  const rows = (attempt?.rows ?? []).filter((row): row is CheckRow => row.kind === 'check');
  const last = result?.verification;
  const rounds = rows.map(({ round, commands, endedAt }): Round => ({
    round,
    isRunning: endedAt === undefined,
    commands: last?.rounds === round ? last.commands : commands,
  }));
  if (last && !rounds.some(({ round }) => round === last.rounds))
    rounds.push({ round: last.rounds, isRunning: false, commands: last.commands });
  return rounds.reverse();
}

function CheckItem({ check, isRunning, isOpen }: { check: Check; isRunning: boolean; isOpen: boolean }) {
  const { command, exitCode, problem, durationMs, flaky, outputTail = '' } = check;
  const hasPassed = exitCode === 0;
  const state = isRunning ? 'running' : hasPassed ? 'passed' : 'failed';
  const end = problem ?? (exitCode === null ? 'no exit code' : `exit code ${exitCode}`);
  const head = (
    <>
      <Icon name={isRunning ? 'loader-circle' : hasPassed ? 'circle-check' : 'circle-x'} />
      <code>{escapeText(command)}</code>
      <span className={styles['end']}>
        {isRunning ? 'running' : escapeText(end)}
        {flaky && ', only when repeated'}
        {durationMs !== undefined && !isRunning && ` · ${formatDuration(durationMs)}`}
      </span>
    </>
  );
  if (outputTail.trim() === '')
    return (
      <div className={styles['check']} data-state={state}>
        <p>{head}</p>
      </div>
    );
  return (
    <details className={styles['check']} data-state={state} open={isOpen && !hasPassed}>
      <summary>
        <Icon name="chevron-right" className={styles['mark']} />
        {head}
      </summary>
      <pre className={styles['pre']} tabIndex={0} role="group" aria-label={`End of the output of ${command}`}>
        {outputTail
          .trimEnd()
          .split('\n')
          .map((line, at) => (
            <span key={at}>
              <AnsiText text={line} />
              {'\n'}
            </span>
          ))}
      </pre>
    </details>
  );
}
