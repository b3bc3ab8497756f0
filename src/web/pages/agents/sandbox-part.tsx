import { useMutation, useQuery } from '@tanstack/react-query';
import type { SandboxReport } from '../../../contract/sandbox.ts';
import { sandboxAccessWords, sandboxNetwork, withoutSandbox } from '../../../contract/sandbox-words.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useAway } from '../../live/use-away.ts';
import { sandboxQuery } from '../../queries/agents.ts';
import formStyles from '../../components/form/form.module.css';
import styles from './agents.module.css';

/** What a sandbox lets an agent, or the commands of tools, see and reach; and whether it holds. For administrators. */
export function SandboxPart({ agent, title }: { agent?: string; title: string }) {
  const { data: report, error, refetch } = useQuery(sandboxQuery(agent));
  const isAway = useAway();
  const test = useMutation({
    mutationFn: () =>
      client.sandbox.test({ body: agent === undefined ? {} : { agent } }).then((answer) => answer.test),
  });
  return (
    <>
      <div className={styles['head']}>
        <h2>{title}</h2>
        {report && <SandboxBadge report={report} />}
        {report?.isWorking && (
          <div className={styles['actions']}>
            <button
              type="button"
              className="button"
              disabled={isAway || test.isPending}
              onClick={() => test.mutate()}
            >
              Try to leave it
            </button>
          </div>
        )}
      </div>
      {error && !report && <Problem error={error} onRetry={() => void refetch()} />}
      {!report && !error && <Loading rows={1} />}
      {report && (report.isWorking ? <Paths report={report} /> : <Without report={report} />)}
      <div role="status">
        {test.isPending && <p className="muted">Trying to leave it…</p>}
        {test.data && (
          <ul className={`${styles['steps']} ${styles['checks']}`} aria-label="What was tried">
            {test.data.checks.map(({ name, passed }) => (
              <li key={name} data-status={passed ? 'ok' : 'failed'}>
                <Icon name={passed ? 'check' : 'x'} size={14} />
                <span>
                  {visibleLine(name)}
                  {!passed && ': not as it should be'}
                </span>
              </li>
            ))}
          </ul>
        )}
        {test.data?.reason && <p>There is no sandbox: {visibleLine(test.data.reason)}</p>}
      </div>
      {test.error && <Problem error={test.error} />}
    </>
  );
}

const SandboxBadge = ({ report: { isWorking } }: { report: SandboxReport }) =>
  isWorking ? (
    <StateBadge icon="shield-check" tone="good">
      in a sandbox
    </StateBadge>
  ) : (
    <StateBadge icon="shield" tone="needs-you">
      no sandbox
    </StateBadge>
  );

const Without = ({ report }: { report: SandboxReport }) => (
  <div className={styles['step']}>
    <p>
      There is none, because {visibleLine(report.reason ?? 'it does not work here')}. {withoutSandbox(report)}
    </p>
    {report.hint && <p>{visibleText(report.hint)}</p>}
  </div>
);

function Paths({ report }: { report: SandboxReport }) {
  return (
    <details className={`${formStyles['section']} ${styles['paths']}`}>
      <summary>What it lets {report.agent === undefined ? 'them' : 'it'} see and reach</summary>
      {Object.entries(sandboxAccessWords).map(([access, words]) => {
        const rows = report.paths.filter((row) => row.access === access);
        if (rows.length === 0) return null;
        return (
          <section key={access}>
            <h3>{words}</h3>
            <ul>
              {rows.map(({ path, why }) => (
                <li key={path}>
                  {visibleLine(path)} <span className="muted">{visibleLine(why)}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      <section>
        <h3>Network</h3>
        <p>{sandboxNetwork(report)}</p>
      </section>
    </details>
  );
}
