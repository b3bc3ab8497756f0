import { useQuery } from '@tanstack/react-query';
import { use } from 'react';
import { pickMeanings } from '../../../contract/pick-meanings.ts';
import { agentsQuery } from '../../queries/agents.ts';
import { agentLabel } from './agent-field.tsx';
import { useInitialText } from './initial-task.ts';
import { Field, Problems, Section } from '../form/field.tsx';
import formStyles from '../form/form.module.css';
import styles from './task-fields.module.css';

/** Several agents do the same, and the best result is taken. */
export function CandidateFields({
  chosen,
  onChoose,
}: {
  chosen: readonly string[];
  onChoose: (agents: readonly string[]) => void;
}) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const initial = useInitialText();
  const problem = use(Problems).get('bestOf.agents');
  return (
    <Section title="Several candidates, of which the best is taken">
      <fieldset className={styles['choices']} aria-describedby="candidates-note">
        <legend>Agents</legend>
        {agents.map((agent) => (
          <label key={agent.type} className={formStyles['check']}>
            <input
              type="checkbox"
              name="bestOf.agents"
              value={agent.type}
              checked={chosen.includes(agent.type)}
              aria-invalid={problem ? true : undefined}
              onChange={({ target }) =>
                onChoose(
                  target.checked ? [...chosen, agent.type] : chosen.filter((type) => type !== agent.type),
                )
              }
            />
            {agentLabel(agent, true)}
          </label>
        ))}
        <div id="candidates-note" className={formStyles['notes']}>
          {problem && <p className="error">{problem}</p>}
          <p className="muted">They take turns. Default: the agent above for each.</p>
        </div>
      </fieldset>
      <Field
        name="bestOf.count"
        label="Candidates"
        hint="Each works in a Git worktree of its own, so the directory has to be in a repository."
      >
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            defaultValue={initial('bestOf.count')}
            placeholder={chosen.length > 0 ? `${chosen.length}, one for each agent` : 'One, no comparison'}
          />
        )}
      </Field>
      <Field name="bestOf.pick" label="Who chooses">
        {(control) => (
          <select {...control} defaultValue={initial('bestOf.pick')}>
            {Object.entries(pickMeanings).map(([way, meaning]) => (
              <option key={way} value={way}>
                {way}: {meaning}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Section>
  );
}
