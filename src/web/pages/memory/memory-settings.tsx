import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../client.ts';
import { Field } from '../../components/form/field.tsx';
import { Check, Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { queryClient } from '../../queries/query-client.ts';

const key = ['config', 'memory'];

/** What of the memory reaches chats and agents. For administrators. */
export function MemorySettings() {
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: readSettings });
  const [isSaved, setSaved] = useState(false);
  const save = async (form: FormData) => {
    setSaved(false);
    const wanted = {
      'memory.scope': formText(form, 'scope'),
      'memory.recall': form.has('recall'),
      'memory.learn': form.has('learn'),
    };
    for (const [name, value] of Object.entries(wanted))
      if (data?.get(name) !== value) await client.config.update({ params: { key: name }, body: { value } });
    await queryClient.invalidateQueries({ queryKey: key });
    setSaved(true);
  };
  return (
    <section aria-labelledby="memory-settings">
      <h2 id="memory-settings">In prompts</h2>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <Form submit="Save" onSubmit={save}>
          <div>
            <Check>
              <input type="checkbox" name="recall" defaultChecked={data.get('memory.recall') === true} />
              Add relevant parts of files, experiences and preferences to prompts
            </Check>
            <Check>
              <input type="checkbox" name="learn" defaultChecked={data.get('memory.learn') === true} />
              Learn from tasks that complete
            </Check>
          </div>
          <Field name="scope" label="Work in a project gets">
            {(control) => (
              <select {...control} defaultValue={String(data.get('memory.scope'))}>
                <option value="project">What belongs to its project</option>
                <option value="all">All of the memory</option>
              </select>
            )}
          </Field>
          {isSaved && <p role="status">Saved.</p>}
        </Form>
      )}
    </section>
  );
}

async function readSettings(): Promise<ReadonlyMap<string, unknown>> {
  const { settings } = await client.config.list();
  const own = settings.filter((setting) => /^memory\.(scope|recall|learn)$/.test(setting.key));
  return new Map(own.map((setting) => [setting.key, setting.value]));
}
