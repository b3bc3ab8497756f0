import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { modeMeanings } from '../../../contract/mode-meanings.ts';
import { client } from '../../client.ts';
import { Field, Section } from '../form/field.tsx';
import { useInitialText } from './initial-task.ts';
import { Suggestions } from './suggestions.tsx';

/** The model and what it may use. */
export function LimitFields() {
  const initial = useInitialText();
  const [isAsked, setAsked] = useState(false);
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => client.chat.listModels().then((answer) => answer.models),
    enabled: isAsked,
  });
  const listId = useId();
  return (
    <Section title="Model and limits">
      <Field
        name="model"
        label="Model"
        hint="MODEL or PROVIDER/MODEL; for a coding agent, as its own command names it. Default: that of the agent."
      >
        {(control) => (
          <input {...control} defaultValue={initial('model')} list={listId} onFocus={() => setAsked(true)} />
        )}
      </Field>
      <Suggestions id={listId} values={models.data?.map(({ provider, id }) => `${provider}/${id}`)} />
      <Field name="maxTimeMs" label="Time" hint="Stops its run after 10m, 1h … of work.">
        {(control) => (
          <input {...control} defaultValue={initial('maxTimeMs')} placeholder="No limit of its own" />
        )}
      </Field>
      <Field name="maxBudget" label="Tokens" hint="Stops before more are used.">
        {(control) => (
          <input
            {...control}
            defaultValue={initial('maxBudget')}
            inputMode="numeric"
            placeholder="No limit"
          />
        )}
      </Field>
      <Field name="maxCostUsd" label="Cost in USD" hint="Stops before more is spent, such as 0.50.">
        {(control) => (
          <input
            {...control}
            defaultValue={initial('maxCostUsd')}
            inputMode="decimal"
            placeholder="No limit"
          />
        )}
      </Field>
      <Field name="maxSteps" label="Steps" hint="Stops after this many calls of the model.">
        {(control) => (
          <input {...control} defaultValue={initial('maxSteps')} inputMode="numeric" placeholder="Default" />
        )}
      </Field>
      <Field name="maxAttempts" label="Attempts" hint="Also for a command that exits with an error.">
        {(control) => (
          <input
            {...control}
            defaultValue={initial('maxAttempts')}
            inputMode="numeric"
            placeholder="Default"
          />
        )}
      </Field>
    </Section>
  );
}

/** Commands that say whether the work is done. */
export function CheckFields() {
  const initial = useInitialText();
  return (
    <Section title="Checks">
      <Field
        name="verify"
        label="Commands"
        hint="One on each line. All must succeed after the agent has answered."
      >
        {(control) => (
          <textarea
            {...control}
            defaultValue={initial('verify')}
            rows={3}
            placeholder="npm test"
            spellCheck={false}
          />
        )}
      </Field>
      <Field name="repair" label="Repairs" hint="How often the agent may fix what the commands found.">
        {(control) => (
          <input {...control} defaultValue={initial('repair')} inputMode="numeric" placeholder="2" />
        )}
      </Field>
    </Section>
  );
}

/** Where the work belongs. */
export function RepositoryFields({
  isAdmin,
  repositories,
}: {
  isAdmin: boolean;
  repositories: readonly string[] | undefined;
}) {
  const initial = useInitialText();
  const listId = useId();
  return (
    <Section title="Repository">
      <Field name="repository" label="Repository" hint="On GitHub, as owner/repo.">
        {(control) => (
          <input
            {...control}
            defaultValue={initial('repository')}
            list={listId}
            spellCheck={false}
            autoCapitalize="off"
          />
        )}
      </Field>
      <Suggestions id={listId} values={repositories} />
      <Field name="branch" label="Branch">
        {(control) => (
          <input {...control} defaultValue={initial('branch')} spellCheck={false} autoCapitalize="off" />
        )}
      </Field>
      {isAdmin && (
        <Field name="worktree" label="Git worktree" hint="A checkout of its own, next to the directory.">
          {(control) => (
            <select {...control} defaultValue={initial('worktree')}>
              <option value="">If the agent edits code</option>
              <option value="yes">Always</option>
              <option value="no">Never: work in the directory itself</option>
            </select>
          )}
        </Field>
      )}
    </Section>
  );
}

const priorities = ['critical', 'high', 'medium', 'low'];

/** How the task is found, and when its turn comes. */
export function OrderFields({ labels }: { labels: readonly string[] | undefined }) {
  const initial = useInitialText();
  const listId = useId();
  return (
    <Section title="Labels, priority and permissions">
      <Field name="labels" label="Labels" hint="With commas between them.">
        {(control) => <input {...control} defaultValue={initial('labels')} list={listId} />}
      </Field>
      <Suggestions id={listId} values={labels} />
      <Field name="priority" label="Priority">
        {(control) => (
          <select {...control} defaultValue={initial('priority') ?? '3'}>
            {priorities.map((word, at) => (
              <option key={word} value={at + 1}>
                {at + 1} · {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        name="securityMode"
        label="Security mode"
        hint="What its tools may do. Only administrators can relax the policy."
      >
        {(control) => (
          <select {...control} defaultValue={initial('securityMode')}>
            <option value="">As the policy says</option>
            {Object.entries(modeMeanings).map(([mode, meaning]) => (
              <option key={mode} value={mode}>
                {mode}: {meaning}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Section>
  );
}
