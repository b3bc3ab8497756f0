import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { agentStateWords, stateOf } from '../../../contract/agent-state-words.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { agentsQuery } from '../../queries/agents.ts';
import { Field } from '../form/field.tsx';
import { useInitialText } from './initial-task.ts';

/** Whether the person may use an agent; programs run with the rights of the daemon. */
export const mayUse = ({ needs = [] }: Agent, isAdmin: boolean): boolean =>
  isAdmin || !needs.includes('command');

/** The name of an agent and what is missing for it to work. */
export const agentLabel = (agent: Agent, isAdmin: boolean): string => {
  const state = mayUse(agent, isAdmin) ? agentStateWords[stateOf(agent)] : 'for administrators';
  return `${visibleLine(agent.name)} · ${state}`;
};

/** Which agent works, with what is missing. Without a choice, svc chooses as in a terminal. */
export function AgentField({ isAdmin, isReplaced }: { isAdmin: boolean; isReplaced: boolean }) {
  const { data: agents = [], error } = useQuery(agentsQuery);
  const [type, setType] = useState(useInitialText()('assignedAgent') ?? '');
  const chosen = agents.find((agent) => (type === '' ? agent.isDefault : agent.type === type));
  return (
    <Field
      name="assignedAgent"
      label="Agent"
      hint={
        isReplaced
          ? 'The candidates have agents of their own.'
          : error
            ? 'The agents cannot be listed now.'
            : chosen && <AgentNote agent={chosen} isChosen={type !== ''} />
      }
    >
      {(control) => (
        <select
          {...control}
          disabled={isReplaced}
          value={type}
          onChange={({ target }) => setType(target.value)}
        >
          <option value="">Chosen automatically</option>
          {type !== '' && !agents.some((agent) => agent.type === type) && (
            <option value={type}>{visibleLine(type)}</option>
          )}
          {agents.map((agent) => (
            <option key={agent.type} value={agent.type} disabled={!mayUse(agent, isAdmin)}>
              {agentLabel(agent, isAdmin)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function AgentNote({ agent, isChosen }: { agent: Agent; isChosen: boolean }) {
  const isReady = stateOf(agent) === 'ready';
  const step = agent.hint ?? agent.message;
  return (
    <>
      {isChosen ? `${visibleLine(agent.description)}.` : `The default is ${visibleLine(agent.name)}.`}
      {!isReady && ` It is ${agentStateWords[stateOf(agent)]}, so the task would wait.`}
      {!isReady && step && ` ${visibleLine(step)}`}
    </>
  );
}
