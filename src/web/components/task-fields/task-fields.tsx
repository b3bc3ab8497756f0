import { useQuery } from '@tanstack/react-query';
import { type ReactNode, use, useId, useState } from 'react';
import { suggestionsQuery } from '../../queries/suggestions.ts';
import { Field } from '../form/field.tsx';
import formStyles from '../form/form.module.css';
import { AgentField } from './agent-field.tsx';
import { CandidateFields } from './candidate-fields.tsx';
import { InitialTaskContext, useInitialText } from './initial-task.ts';
import { Suggestions } from './suggestions.tsx';
import { CheckFields, LimitFields, OrderFields, RepositoryFields } from './work-fields.tsx';

/** The fields of a task, as far as the person may set them; between the frequent and the rare ones stands what the form adds. */
export function TaskFields({ isAdmin, children }: { isAdmin: boolean; children: ReactNode }) {
  const { data: suggestions } = useQuery(suggestionsQuery);
  const listId = useId();
  const initial = useInitialText();
  const [agents, setAgents] = useState(use(InitialTaskContext).agents);
  return (
    <>
      <Field name="prompt" label="What to do">
        {(control) => <textarea {...control} defaultValue={initial('prompt')} rows={6} autoFocus />}
      </Field>
      <div className={formStyles['fields']}>
        <Field name="title" label="Title" hint="Default: the first line of what to do.">
          {(control) => <input {...control} defaultValue={initial('title')} maxLength={500} />}
        </Field>
        <AgentField isAdmin={isAdmin} isReplaced={agents.length > 0} />
      </div>
      {isAdmin && (
        <>
          <Field
            name="cwd"
            label="Directory"
            hint="Where it works, on the machine of the daemon. Default: a new directory for the task."
          >
            {(control) => (
              <input
                {...control}
                defaultValue={initial('cwd')}
                list={listId}
                placeholder="/home/you/project"
                spellCheck={false}
              />
            )}
          </Field>
          <Suggestions id={listId} values={suggestions?.directories} />
        </>
      )}
      {children}
      <div className={formStyles['sections']}>
        <LimitFields />
        {isAdmin && <CheckFields />}
        <RepositoryFields isAdmin={isAdmin} repositories={suggestions?.repositories} />
        <OrderFields labels={suggestions?.labels} />
        {isAdmin && <CandidateFields chosen={agents} onChoose={setAgents} />}
      </div>
      {!isAdmin && (
        <p className="muted">
          Directories, checks and several candidates run commands, which only administrators may.
        </p>
      )}
    </>
  );
}
