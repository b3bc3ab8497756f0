import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { AgentDetail, AgentTestStep } from '../../../contract/agents.ts';
import { agentTestWords } from '../../../contract/agent-test-words.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { Problem } from '../../components/problem.tsx';
import { formatDuration } from '../../components/time.tsx';
import { useAway } from '../../live/use-away.ts';
import { queryClient } from '../../queries/query-client.ts';
import styles from './agents.module.css';

const icons: Record<AgentTestStep['status'], IconName> = {
  ok: 'check',
  failed: 'x',
  not_asked: 'circle-dashed',
  skipped: 'circle-dashed',
};

/** Tests an agent step by step, as `svc agents test` does. For administrators. */
export function AgentTest({ agent: { type, driver } }: { agent: AgentDetail }) {
  const isAway = useAway();
  const modelId = useId();
  const [model, setModel] = useState('');
  const [steps, setSteps] = useState<readonly AgentTestStep[]>([]);
  const left = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    left.current = controller;
    return () => controller.abort();
  }, []);
  const test = useMutation({
    mutationFn: async () => {
      setSteps([]);
      const body = model.trim() === '' ? {} : { model: model.trim() };
      const stream = client.agents.testStream({ params: { type }, body }, { signal: left.current.signal });
      for await (const { data } of stream) setSteps((earlier) => [...earlier, data]);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['agents'] }),
  });
  const isOk = steps.length > 0 && steps.every(({ status }) => status !== 'failed');
  return (
    <section className={styles['part']} aria-labelledby="agent-test">
      <h2 id="agent-test">Test</h2>
      <p className="muted">
        {driver === undefined
          ? 'Checks whether it is configured and can be reached.'
          : 'Sends three short prompts; nothing is allowed to run. It uses a few thousand tokens of your subscription or key.'}
      </p>
      <div className={styles['test']}>
        {driver !== undefined && (
          <div>
            <label htmlFor={modelId}>Model</label>{' '}
            <input
              id={modelId}
              value={model}
              placeholder="That of its settings"
              spellCheck={false}
              onChange={({ target }) => setModel(target.value)}
            />
          </div>
        )}
        <button
          type="button"
          className="button"
          disabled={isAway || test.isPending}
          onClick={() => test.mutate()}
        >
          <Icon name="play" /> {test.isPending ? 'Testing…' : 'Test it'}
        </button>
      </div>
      {steps.length > 0 && (
        <ol className={styles['steps']} aria-label="Steps of the test">
          {steps.map(({ name, status, message, durationMs }) => (
            <li key={name} data-status={status}>
              <Icon name={icons[status] ?? 'circle-dashed'} size={14} />
              <span>
                {agentTestWords[name] ?? name}
                <span className="visually-hidden">: {status === 'not_asked' ? 'did not ask' : status}</span>
              </span>
              <span className={styles['took']}>
                {status === 'skipped' ? 'skipped' : formatDuration(durationMs)}
              </span>
              <span>{message && visibleLine(message)}</span>
            </li>
          ))}
        </ol>
      )}
      <p role="status">
        {test.isSuccess && (isOk ? `${visibleLine(type)} works.` : `${visibleLine(type)} does not work yet.`)}
      </p>
      {test.error && <Problem error={test.error} />}
    </section>
  );
}
