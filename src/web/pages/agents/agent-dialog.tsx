import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/form/field.tsx';
import { Check, Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { type AddedAgent, changeAddedAgents, readAddedAgents } from './added-agents.ts';
import { agentProblems, readAgent } from './read-agent.ts';

/** Adds an agent that speaks the Agent Client Protocol. */
export function AddAgentDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const add = async (data: FormData) => {
    const name = formText(data, 'name').trim();
    const read = readAgent(data, undefined);
    const problems = 'problems' in read ? new Map(read.problems) : new Map<string, string>();
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
      problems.set('name', 'Expected lower-case letters, digits and hyphens, at most 40.');
    else if ((await client.agents.listTypes()).types.includes(name))
      problems.set('name', `There is an agent “${name}” already.`);
    if ('problems' in read || problems.size > 0) return problems;
    const refused = await saveAgent(name, read.agent);
    if (!refused) await navigate({ to: '/agents/$type', params: { type: name } });
    return refused;
  };
  return (
    <Dialog title="Add an agent" onClose={onClose}>
      <p className="muted">
        A program on the machine of the daemon that speaks the Agent Client Protocol. It runs with the rights
        of the daemon, in the sandbox where there is one.
      </p>
      <Form submit="Add" onSubmit={add} onCancel={onClose}>
        <Field name="name" label="Name" hint="Lower-case letters, digits and hyphens.">
          {(control) => (
            <input {...control} maxLength={40} spellCheck={false} autoCapitalize="off" autoFocus />
          )}
        </Field>
        <AgentFields />
      </Form>
    </Dialog>
  );
}

/** Changes an agent that was added. */
export function EditAgentDialog({ type, onClose }: { type: string; onClose: () => void }) {
  // What is stored now, and never shown from an earlier time.
  const { data, error } = useQuery({
    queryKey: ['agents', 'added'],
    queryFn: readAddedAgents,
    gcTime: 0,
    staleTime: Infinity,
  });
  const before = data?.[type];
  const save = async (form: FormData) => {
    const read = readAgent(form, before);
    if ('problems' in read) return read.problems;
    const refused = await saveAgent(type, read.agent);
    if (!refused) onClose();
    return refused;
  };
  return (
    <Dialog title={`Change ${visibleLine(type)}`} onClose={onClose}>
      {error && <Problem error={error} />}
      {!data && !error && <Loading rows={4} />}
      {data && !before && <p>This agent was not added by anybody, or it was removed.</p>}
      {before && (
        <Form submit="Save" onSubmit={save} onCancel={onClose}>
          <AgentFields before={before} />
        </Form>
      )}
    </Dialog>
  );
}

async function saveAgent(name: string, agent: AddedAgent) {
  try {
    await changeAddedAgents((added) => ({ ...added, [name]: agent }));
    return undefined;
  } catch (error) {
    const problems = agentProblems(error, name);
    if (!problems) throw error;
    return problems;
  }
}

function AgentFields({ before }: { before?: AddedAgent }) {
  const names = Object.keys(before?.env ?? {});
  return (
    <>
      <Field name="program" label="Program" hint="Its path, or its name in the PATH of the daemon.">
        {(control) => (
          <input
            {...control}
            defaultValue={before?.program}
            placeholder="goose"
            spellCheck={false}
            autoCapitalize="off"
          />
        )}
      </Field>
      <Field name="args" label="Arguments" hint="One on each line.">
        {(control) => (
          <textarea
            {...control}
            rows={2}
            defaultValue={before?.args.join('\n')}
            placeholder="acp"
            spellCheck={false}
          />
        )}
      </Field>
      <Field name="model" label="Model" hint="Default: its own choice.">
        {(control) => <input {...control} defaultValue={before?.model} spellCheck={false} />}
      </Field>
      <Field name="maxTokens" label="Tokens per task" hint="Stops a task before it uses more.">
        {(control) => (
          <input {...control} inputMode="numeric" defaultValue={before?.maxTokens} placeholder="No limit" />
        )}
      </Field>
      {names.length > 0 && (
        <fieldset>
          <legend>Remove variables</legend>
          {names.map((name) => (
            <Check key={name}>
              <input type="checkbox" name="unset" value={name} /> {visibleLine(name)}
            </Check>
          ))}
        </fieldset>
      )}
      <Field
        name="env"
        label={names.length > 0 ? 'Set variables' : 'Variables'}
        hint="NAME=value, one on each line. They are encrypted and never shown again."
      >
        {(control) => (
          <textarea
            {...control}
            rows={2}
            placeholder="MY_AGENT_KEY=…"
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
    </>
  );
}
