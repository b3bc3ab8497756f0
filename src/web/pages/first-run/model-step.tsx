import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { agentStateWords, stateOf } from '../../../contract/agent-state-words.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import type { ModelProvider } from '../../../contract/providers.ts';
import { client } from '../../client.ts';
import { Field, Section } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { agentsQuery } from '../../queries/agents.ts';
import styles from './first-run.module.css';

const providersKey = ['providers'];
/** They need more than a key; the settings ask for it. */
const needMore = ['azure'];
/** They run on a machine of the person. */
const needUrl = ['ollama'];

const isUsable = (agent: Agent) => agent.type !== 'command' && stateOf(agent) === 'ready';
/** Installed, but something is missing. */
const isNear = (agent: Agent) => agent.program !== undefined && stateOf(agent) === 'needs_login';

/** Connects a model provider, or finds a coding agent that is logged in. */
export function ModelStep({ onNext }: { onNext: () => void }) {
  const agents = useQuery(agentsQuery);
  const providers = useQuery({ queryKey: providersKey, queryFn: () => client.providers.list() });
  const error = agents.error ?? providers.error;
  if (error)
    return (
      <Problem error={error} onRetry={() => void Promise.all([agents.refetch(), providers.refetch()])} />
    );
  if (!agents.data || !providers.data) return <Loading label="Looking for agents and models" />;
  const usable = agents.data.filter(isUsable);
  const near = agents.data.filter(isNear);
  const connected = providers.data.providers.filter(({ configured, enabled }) => configured && enabled);
  const isReady = usable.length > 0;
  const skip = (
    <button type="button" className="button" onClick={onNext}>
      Skip
    </button>
  );
  return (
    <>
      <p>
        Tasks are done by a coding agent on this machine, or by the built-in agent with a model that you
        connect.
      </p>
      {isReady && (
        <ul className={styles['found']} aria-label="Ready">
          {usable.map((agent) => (
            <li key={agent.type}>
              <Icon name="circle-check" /> <strong>{escapeLine(agent.name)}</strong> is ready.
            </li>
          ))}
        </ul>
      )}
      {near.length > 0 && (
        <ul className={styles['found']} aria-label="Not ready">
          {near.map((agent) => (
            <li key={agent.type}>
              {escapeLine(agent.name)} {agentStateWords[stateOf(agent)]}.{' '}
              {agent.hint && <span className="muted">{escapeLine(agent.hint)}</span>}
            </li>
          ))}
        </ul>
      )}
      {isReady && (
        <div className={styles['buttons']}>
          <button type="button" className="button primary" onClick={onNext}>
            Continue
          </button>
        </div>
      )}
      {connected.length > 0 ? (
        !isReady && skip
      ) : isReady ? (
        <Section title="Connect a model provider, too">
          <ProviderForm providers={providers.data.providers} />
        </Section>
      ) : (
        <ProviderForm providers={providers.data.providers} beside={skip} />
      )}
    </>
  );
}

/** Stores a key and tries it; a provider that does not answer stays, with what it said. */
function ProviderForm({ providers, beside }: { providers: readonly ModelProvider[]; beside?: ReactNode }) {
  const queries = useQueryClient();
  const offered = providers.filter(({ type, custom }) => !custom && !needMore.includes(type));
  const [type, setType] = useState(offered[0]?.type ?? '');
  const isLocal = needUrl.includes(type);
  const submit = async (data: FormData) => {
    const name = isLocal ? 'baseUrl' : 'apiKey';
    const value = formText(data, name).trim();
    if (value === '') return new Map([[name, isLocal ? 'Enter the address.' : 'Enter the key.']]);
    await client.providers.configure({ params: { type }, body: { [name]: value, enabled: true } });
    const { healthy, message, modelProblem } = await client.providers.checkHealth({ params: { type } });
    if (!healthy) return new Map([[name, message ?? modelProblem ?? 'The provider does not answer.']]);
    await client.providers.setDefault({ body: { provider: type } });
    await Promise.all([
      queries.invalidateQueries({ queryKey: providersKey }),
      queries.invalidateQueries({ queryKey: agentsQuery.queryKey }),
    ]);
    return undefined;
  };
  return (
    <Form submit="Connect" beside={beside} onSubmit={submit}>
      <Field name="provider" label="Model provider">
        {(control) => (
          <select {...control} value={type} onChange={({ target }) => setType(target.value)}>
            {offered.map((provider) => (
              <option key={provider.type} value={provider.type}>
                {provider.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {isLocal ? (
        <Field key="baseUrl" name="baseUrl" label="Address" hint="Where it runs.">
          {(control) => (
            <input {...control} type="url" defaultValue="http://127.0.0.1:11434" spellCheck={false} />
          )}
        </Field>
      ) : (
        <Field
          key="apiKey"
          name="apiKey"
          label="API key"
          hint="It is stored encrypted on this machine and never shown again."
        >
          {(control) => <input {...control} type="password" autoComplete="off" spellCheck={false} />}
        </Field>
      )}
    </Form>
  );
}
